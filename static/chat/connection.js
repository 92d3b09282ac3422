// The socket: opens, says hello with the last number seen, notices when it is dead, comes back.

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
const OPENING_MS = 10_000; // a handshake that takes longer has gone astray
const PING_MS = 22_000;
const PONG_MS = 6_000;
const ANSWER_MS = 2_500; // words that nothing answers for so long: is anybody there?
const QUIET_MS = 4_000; // shorter gaps are nobody's business
const TRIES_BEFORE_ASKING = 3;

export class Connection {
  #socket = null;
  #ready = false;
  #tries = 0;
  #ended = false;
  #timers = {};

  /**
   * @param {object} options
   * @param {string} options.url address of the socket
   * @param {string} options.probe answers 401 when nobody is signed in any more
   * @param {() => object} options.hello the first message
   * @param {(frame: object) => void} options.onFrame
   * @param {(state: "ready" | "away" | "signed_out") => void} options.onState
   */
  constructor({ url, probe, hello, onFrame, onState }) {
    Object.assign(this, { url, probe, hello, onFrame, onState });
  }

  start() {
    this.#sayQuietly();
    this.#open();
    addEventListener("online", () => this.#hurry());
    // Not the end yet: a server on this very machine is there without any network.
    addEventListener("offline", () => this.#socket && this.#ping(this.#socket, PONG_MS / 3));
    addEventListener("pageshow", (event) => event.persisted && this.#hurry());
    addEventListener("pagehide", () => this.#drop()); // an open socket keeps a page out of the back cache
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  /** Sends when the socket is there; says whether it was. */
  send(message) {
    if (!this.#ready || this.#socket.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    const socket = this.#socket;
    if (!this.#timers.pong) this.#after("ping", ANSWER_MS, () => this.#ping(socket));
    return true;
  }

  /** Begins anew with a fresh hello. */
  restart() {
    this.#drop();
    this.#open();
  }

  #open() {
    if (this.#socket || this.#ended) return;
    this.#clear("retry");
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#after("opening", OPENING_MS, () => this.#lost(socket));
    socket.onopen = () => {
      this.#clear("opening");
      socket.send(JSON.stringify(this.hello()));
      this.#listen(socket);
    };
    socket.onmessage = (event) => {
      this.#listen(socket);
      const frame = JSON.parse(event.data);
      if (frame.kind === "signed_out") return this.#end();
      this.onFrame(frame);
      if (frame.kind === "caught_up") this.#caughtUp();
    };
    socket.onclose = () => this.#lost(socket);
    socket.onerror = () => this.#lost(socket);
  }

  #caughtUp() {
    this.#ready = true;
    this.#tries = 0;
    this.#clear("quiet");
    this.onState("ready");
  }

  // Silence is ended by a ping; a ping without any answer means that the line is dead.
  #listen(socket) {
    this.#clear("pong");
    this.#after("ping", PING_MS, () => this.#ping(socket));
  }

  #ping(socket, patience = PONG_MS) {
    if (socket !== this.#socket || socket.readyState !== WebSocket.OPEN) return;
    socket.send('{"ping":1}');
    this.#after("pong", patience, () => this.#lost(socket));
  }

  #lost(socket) {
    if (socket !== this.#socket) return;
    this.#drop();
    this.#sayQuietly();
    const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#tries);
    this.#tries += 1;
    if (this.#tries % TRIES_BEFORE_ASKING === 0) this.#ask();
    this.#after("retry", ceiling / 2 + (Math.random() * ceiling) / 2, () => this.#open());
  }

  // A browser does not tell why a socket was refused, so that a page has to be asked.
  async #ask() {
    try {
      const response = await fetch(this.probe, { headers: { Accept: "application/json" } });
      if (response.status === 401) this.#end();
    } catch {
      // No network: the next try will tell.
    }
  }

  #end() {
    this.#ended = true;
    this.#drop();
    this.#clear("retry");
    this.#clear("quiet");
    this.onState("signed_out");
  }

  #hurry() {
    this.#tries = 0;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#ping(this.#socket, PONG_MS / 2);
    else if (this.#socket?.readyState !== WebSocket.CONNECTING) this.restart();
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#ready = false;
    for (const name of ["opening", "ping", "pong", "retry"]) this.#clear(name);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = socket.onerror = null;
    socket.close();
  }

  #sayQuietly() {
    if (!this.#timers.quiet) this.#after("quiet", QUIET_MS, () => this.onState("away"));
  }

  #after(name, wait, then) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(then, wait);
  }

  #clear(name) {
    clearTimeout(this.#timers[name]);
    delete this.#timers[name];
  }
}
