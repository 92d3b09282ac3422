// The chat page: puts the socket, what was said, what is being typed and the outbox together.

import { Composer } from "./chat/composer.js";
import { Connection } from "./chat/connection.js";
import { Outbox, randomId, screenId } from "./chat/outbox.js";
import { Thread } from "./chat/thread.js";

const RETRY_MS = 5_000;
const RESEND_MS = 10_000; // what the server has not taken by then is sent again; twice is once for it

function start(page) {
  const outbox = new Outbox(page.dataset.person);
  const status = page.querySelector("#status");
  const sign = page.querySelector("#connection");
  const say = (text) => (status.textContent = text);
  let running = "";
  let retry = 0;
  const waiting = new Set(); // what the server could not take yet, by client id

  const thread = new Thread(page, {
    onStatus: say,
    onRunning: (turn) => {
      running = turn;
      composer.answering = Boolean(turn);
    },
  });

  const composer = new Composer(page.querySelector("#composer"), {
    outbox,
    onSay: (text) => {
      const entry = outbox.add(text);
      thread.showPending(entry);
      thread.toEnd();
      send(entry);
    },
    onStop: () => running && connection.send({ stop: running }),
  });

  function send(entry) {
    connection.send({ say: entry.text, client_id: entry.client_id });
  }

  function sendAll() {
    for (const entry of outbox.all()) {
      thread.showPending(entry);
      send(entry);
    }
  }

  const connection = new Connection({
    url: new URL(page.dataset.socket, location.href).href.replace(/^http/, "ws"),
    probe: page.dataset.probe,
    hello: () => ({
      hello: thread.last,
      screen: screenId(),
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      language: document.documentElement.lang,
    }),
    onFrame: take,
    onState: (state) => {
      if (state === "ready" && sign.dataset.state) say(page.dataset.reconnected);
      sign.dataset.state = state === "ready" ? "" : state;
      sign.hidden = state === "ready";
      sign.querySelector("[data-away]").hidden = state !== "away";
      sign.querySelector("[data-signed-out]").hidden = state !== "signed_out";
      if (state === "ready") sendAll();
    },
  });

  function take(frame) {
    if (frame.kind === "accepted" || frame.kind === "taken") {
      outbox.drop(frame.client_id);
      if (waiting.delete(frame.client_id) && !waiting.size) composer.tell("");
    }
    if (frame.kind === "refused") return refused(frame);
    if (frame.kind === "reload") return reload();
    thread.take(frame);
    // For parts of the page that this script does not know, such as notifications.
    document.dispatchEvent(new CustomEvent("asterism:frame", { detail: frame }));
  }

  function refused({ client_id, message, again }) {
    if (again && client_id) {
      // Nobody has to do anything: the words wait in the outbox and are sent by themselves.
      waiting.add(client_id);
      composer.tell(message, { isFault: false });
      clearTimeout(retry);
      retry = setTimeout(sendAll, RETRY_MS);
      return;
    }
    if (again) return composer.tell(message, { isFault: false });
    const entry = outbox.drop(client_id);
    thread.dropPending(client_id);
    if (!entry) return;
    composer.giveBack(entry.text);
    composer.tell(message);
  }

  async function reload() {
    const response = await fetch(page.dataset.thread, { headers: { "HX-Request": "true" } });
    if (!response.ok) return;
    thread.replaceWith(await response.text());
    connection.restart();
  }

  // Whoever signs out leaves no words behind on a browser that others may use.
  document.querySelector('form[action$="/sign-out"]')?.addEventListener("submit", () => outbox.clear());

  for (const entry of outbox.all()) thread.showPending(entry);
  // Another tab's words reach the outbox of both; when the server took them, both know by the frame.
  if (!location.hash) thread.toEnd();
  // With a keyboard one starts to type at once; on a phone the keyboard would cover half of the page.
  if (!location.hash && matchMedia("(hover: hover) and (pointer: fine)").matches) {
    composer.field.focus({ preventScroll: true });
  }
  connection.start();
  setInterval(sendAll, RESEND_MS);
}

// What works without the socket, on the newest turns and when looking back alike.
function listen(page) {
  page.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy-answer]");
    if (!button) return;
    const text = button.closest(".turn").querySelector(".prose").innerText;
    await copy(text);
    page.querySelector("#status").textContent = page.dataset.copied;
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 1500);
  });

  page.addEventListener("click", (event) => {
    const fill = event.target.closest("[data-fill]");
    if (!fill) return;
    const field = page.querySelector("#composer textarea");
    field.value = fill.textContent.trim();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });

  page.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-open-edit]");
    if (!opener) return;
    opener.closest("details").open = false;
    const details = opener.closest(".turn").querySelector("[data-edit]");
    const field = details.querySelector("textarea");
    details.open = true;
    field.value = details.closest(".turn").querySelector(".words").innerText;
    details.querySelector("[name=client_id]").value = randomId(); // each opening is one message
    field.focus();
    details.scrollIntoView({ block: "nearest" });
  });

  // What is made anew by a form opens its cards on the screen that asked, as with the socket.
  page.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.verb !== "post") return;
    detail.parameters.screen = screenId();
    detail.parameters.zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });

  page.addEventListener("click", (event) => {
    const cancel = event.target.closest("[data-cancel]");
    if (cancel) cancel.closest("details").open = false;
  });

  // Older turns come above: what is being read must not move.
  let height = 0;
  page.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.matches("[data-older]")) height = document.documentElement.scrollHeight;
  });
  page.addEventListener("htmx:afterSwap", () => {
    if (!height) return;
    joinDays(page);
    scrollBy(0, document.documentElement.scrollHeight - height);
    height = 0;
  });
}

// Two pieces of one day meet: the second one's heading is too much.
function joinDays(page) {
  let before = "";
  for (const separator of page.querySelectorAll("#log [data-day]")) {
    if (separator.dataset.day === before) separator.remove();
    else before = separator.dataset.day;
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Plain http has no clipboard but the old way.
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "visually-hidden";
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

const page = document.getElementById("chat");
listen(page);
if (page.dataset.live) start(page);
// A link to a turn that is further back than what is shown.
else if (location.hash) document.querySelector(location.hash)?.scrollIntoView({ block: "center" });
if (page.dataset.live && /^#turn-[\w-]+$/.test(location.hash) && !document.querySelector(location.hash)) {
  location.replace(`/?turn=${location.hash.slice(6)}${location.hash}`);
}
