// What has been said, as the page shows it. Every frame may come twice; the second changes nothing.
//
// #log holds finished words and is read out by screen readers, #live the answer that
// is being made, #waiting what the server has not begun with.

const NEAR_END_PX = 100;
const HOURS = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const DAY = { weekday: "long", day: "numeric", month: "long" };

export class Thread {
  #unfinished = new Map(); // turn -> what is known of it before it ends: { text, cards }

  /**
   * @param {HTMLElement} page
   * @param {object} options
   * @param {(text: string) => void} options.onStatus said to screen readers
   * @param {(running: string) => void} options.onRunning the turn being answered, "" when none is
   */
  constructor(page, { onStatus, onRunning }) {
    Object.assign(this, { page, onStatus, onRunning });
    this.newest = page.querySelector("#newest");
    this.words = page.dataset;
    const lang = document.documentElement.lang;
    this.locale = { en: "en-GB", pt: "pt-PT" }[lang] ?? lang; // the server writes dates as they are written there
    this.clock = new Intl.DateTimeFormat(this.locale, { ...HOURS, timeZone: this.words.zone });
    this.#find();
    this.newest.addEventListener("click", () => this.toEnd(true));
    addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // A line above the field, or a phone's keyboard, must not cover what was being read.
    const stay = () => this.#wasNearEnd && this.toEnd();
    new ResizeObserver(stay).observe(page.querySelector(".foot"));
    addEventListener("resize", stay);
  }

  #wasNearEnd = true;

  #scrolled() {
    this.#wasNearEnd = this.#isNearEnd();
    if (this.#wasNearEnd) this.#noteNews(false);
  }

  /** The number of the last frame that this page shows. */
  last = 0;

  take(frame) {
    if (frame.n && frame.n <= this.last) return;
    const act = this[`_${frame.kind}`];
    if (act) this.#change(() => act.call(this, frame));
    if (frame.n) this.last = frame.n;
  }

  /** Words that the server has not taken yet. */
  showPending(entry) {
    if (document.getElementById(`pending-${entry.client_id}`)) return;
    const article = this.#saidArticle({ said: entry.text });
    article.id = `pending-${entry.client_id}`;
    article.classList.add("pending");
    this.waiting.append(article);
    this.#welcomed();
  }

  dropPending(clientId) {
    document.getElementById(`pending-${clientId}`)?.remove();
  }

  /** Puts the thread's markup from the server in the place of this one. */
  replaceWith(html) {
    const fresh = fragment(html).querySelector("#thread");
    for (const pending of this.waiting.querySelectorAll(".pending")) fresh.querySelector("#waiting").append(pending);
    this.root.replaceWith(fresh);
    window.htmx.process(fresh);
    this.#unfinished.clear();
    this.#find();
    this.#setPrivate(fresh.dataset.private === "1");
    this.toEnd();
  }

  toEnd(smooth = false) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    scrollTo({ top: document.documentElement.scrollHeight, behavior: smooth && !calm ? "smooth" : "instant" });
    this.#noteNews(false);
  }

  // Frames, by kind.

  _accepted({ t, c, client_id, said, at, speaker, language, replaces }) {
    const pending = document.getElementById(`pending-${client_id}`);
    if (replaces) for (const id of ["turn", "gone"]) document.getElementById(`${id}-${replaces}`)?.remove();
    if (turn(t)) return pending?.remove();
    const article = this.#saidArticle({ said, at, speaker, language });
    article.id = `turn-${t}`;
    Object.assign(article.dataset, { turn: t, c, at });
    this.#unfinished.set(t, { text: "", cards: null });
    if (pending) pending.replaceWith(article);
    else this.waiting.insertBefore(article, this.waiting.querySelector(".pending"));
    if (this.root.dataset.human) this.#hand(article); // no answer of ours will come
  }

  // Also for words that this page sent before and shows already.
  _taken({ t, client_id }) {
    if (turn(t)) this.dropPending(client_id);
  }

  _running({ t, speaker }) {
    this.#label(t, speaker);
    this.#begin(t);
  }

  _text({ t, delta }) {
    const known = this.#begin(t);
    if (!known) return;
    known.text += delta;
    this.#showLive(t, known.text);
  }

  _answered({ t, c, answer, html, state, at }) {
    const article = turn(t);
    if (!article || article.dataset.done) return;
    const known = this.#unfinished.get(t);
    this.#unfinished.delete(t);
    if (this.live.dataset.turn === t) this.#clearLive();
    if (state === "with_human" && !answer) return this.#hand(article);
    this.#place(article, { c, at: article.dataset.at || at });
    this.#finish(article, { html: html ?? escaped(answer), state, at });
    article.querySelector(".prose").lang = article.dataset.lang ?? "";
    if (known?.cards) this.#showCards(article, known.cards);
    if (state === "answered") this.onStatus(this.words.complete);
    else this.onStatus(this.words[state] || "");
  }

  _cards({ t, cards, more = 0 }) {
    const article = turn(t);
    if (!article || !cards.length) return;
    if (article.dataset.done) this.#showCards(article, { cards, more });
    else this.#known(t).cards = { cards, more };
  }

  _removed({ t }) {
    const article = turn(t);
    if (this.live.dataset.turn === t) this.#clearLive();
    this.#unfinished.delete(t);
    if (!article) return;
    const line = this.#fromTemplate("gone", t);
    article.replaceWith(line);
    window.htmx.process(line);
    setTimeout(() => line.remove(), Number(this.words.undoS) * 1000);
    this.onStatus(this.words.deleted);
  }

  async _restored({ t }) {
    const response = await fetch(`/turn/${t}`, { headers: { "HX-Request": "true" } });
    if (!response.ok || turn(t)) return;
    const place = document.getElementById(`gone-${t}`);
    const pieces = fragment(await response.text());
    const article = pieces.querySelector(".turn");
    if (!article) return;
    if (place) place.replaceWith(article);
    else {
      const next = [...this.log.querySelectorAll(".turn")].find((each) => each.dataset.at > article.dataset.at);
      this.log.insertBefore(article, next ?? null);
    }
    window.htmx.process(article);
  }

  // With a turn and no name: the owner is back, and these words are theirs already.
  _speaker({ t, name }) {
    this.#banner("speaker", name ? this.words.speaking.replace("{name}", isolated(name)) : "");
    for (const shown of this.page.querySelectorAll('[data-shown-with="speaker"]')) shown.hidden = !name;
    if (t && !name) this.#label(t, "");
  }

  // Also when the thread goes on in private: nothing that is said then is kept.
  _conversation({ private: hidden }) {
    this.#setPrivate(Boolean(hidden));
  }

  // A private conversation is named: all of it leaves the page.
  _archived({ asked, private: hidden }) {
    if (hidden) {
      for (const article of this.page.querySelectorAll(`.turn[data-c="${CSS.escape(hidden)}"]`)) {
        if (this.live.dataset.turn === article.dataset.turn) this.#clearLive();
        this.#unfinished.delete(article.dataset.turn);
        article.remove();
      }
      this.#setPrivate(false);
      this._notice({ text: this.words.privateOver });
    } else if (asked) this._notice({ text: this.words.afresh });
  }

  #setPrivate(on) {
    this.#banner("private", on ? this.words.private : "");
    for (const shown of this.page.querySelectorAll('[data-shown-with="private"]')) shown.hidden = !on;
    for (const shown of this.page.querySelectorAll('[data-shown-without="private"]')) shown.hidden = on;
  }

  // Who speaks: requested (with the place in the queue), claimed, returned, expired or withdrawn.
  _handover({ state, agent, place }) {
    this.root.dataset.human = state === "claimed" ? "1" : "";
    const { write, writeTo } = this.words;
    const composer = document.getElementById("text");
    if (composer) composer.placeholder = state === "claimed" ? writeTo.replace("{name}", () => agent) : write;
    const text = this.words[`handover${capital(state)}`] ?? "";
    this.#banner("handover", text.replace("{name}", isolated(agent || "")).replace("{n}", String(place)));
    for (const shown of this.page.querySelectorAll('[data-shown-with="requested"]')) shown.hidden = state !== "requested";
    for (const shown of this.page.querySelectorAll('[data-shown-without="human"]')) {
      shown.hidden = ["requested", "claimed"].includes(state);
    }
    const mark = this.words[`mark${capital(state === "requested" && agent ? "requeued" : state)}`];
    if (mark) this._notice({ text: mark.replace("{name}", isolated(agent || "")) });
  }

  _human({ t, text, html, agent, at }) {
    if (turn(t)) return;
    const article = element("article", "turn");
    article.id = `turn-${t}`;
    article.append(this.#answerBlock({ html: html ?? escaped(text), by: agent }));
    if (at) article.dataset.at = at;
    this.log.append(article);
    this.#clearLive();
  }

  _reminder({ id, text, when, late }) {
    if (document.getElementById(`reminder-${id}`)) return;
    const line = this.#fromTemplate("reminder", id);
    line.querySelector("[data-text]").textContent = neutral(text);
    line.querySelector("[data-when]").textContent = when || "";
    line.querySelector("[data-late]").hidden = !late;
    this.log.append(line);
  }

  _notice({ text }) {
    const line = element("p", "notice");
    line.dir = "auto";
    line.textContent = text;
    this.log.append(line);
  }

  _snapshot({ turns }) {
    for (const each of turns) {
      this._accepted({ ...each, c: each.c ?? "" });
      const known = this.#known(each.t);
      known.text = each.text;
      if (each.state === "running") {
        this.#begin(each.t);
        this.#showLive(each.t, each.text);
      }
    }
    if (!turns.some((each) => each.t === this.live.dataset.turn)) this.#clearLive();
  }

  // The page's parts.

  #find() {
    this.root = this.page.querySelector("#thread");
    this.log = this.root.querySelector("#log");
    this.live = this.root.querySelector("#live");
    this.waiting = this.root.querySelector("#waiting");
    this.bubble = this.live.querySelector("[data-bubble]");
    this.last = Number(this.root.dataset.last);
    for (const article of this.waiting.querySelectorAll(".turn[data-turn]")) this.#known(article.dataset.turn);
  }

  #known(t) {
    if (!this.#unfinished.has(t)) this.#unfinished.set(t, { text: "", cards: null });
    return this.#unfinished.get(t);
  }

  // Takes a turn's words from those that wait into the log, with the bubble below them.
  #begin(t) {
    const article = turn(t);
    if (!article || article.dataset.done) return null;
    if (article.parentElement === this.waiting) this.#place(article, article.dataset);
    if (this.live.dataset.turn !== t) {
      this.live.dataset.turn = t;
      this.live.hidden = false;
      this.#showLive(t, this.#known(t).text);
      this.onRunning(t);
      this.onStatus(this.words.answering);
    }
    return this.#known(t);
  }

  #place(article, { c, at }) {
    if (article.parentElement === this.log) return;
    const before = [...this.log.querySelectorAll(".turn")].at(-1);
    const day = localDay(at, this.words.zone);
    const days = [...this.log.querySelectorAll("[data-day]")];
    if (day && days.at(-1)?.dataset.day !== day) {
      const separator = this.#fromTemplate("day", "");
      separator.dataset.day = day;
      const name = new Intl.DateTimeFormat(this.locale, { ...DAY, timeZone: this.words.zone });
      const written = name.format(new Date(at));
      separator.firstElementChild.textContent = this.locale === "en-GB" ? written.replace(",", "") : written;
      this.log.append(separator);
    } else if (before?.dataset.c && c && before.dataset.c !== c) {
      this.log.append(this.#fromTemplate("begins", ""));
    }
    article.querySelector("[data-dots]")?.remove();
    this.log.append(article);
    this.#welcomed();
  }

  #welcomed() {
    document.getElementById("welcome")?.remove();
  }

  #hand(article) {
    this.#unfinished.delete(article.dataset.turn);
    this.#place(article, article.dataset);
    article.dataset.done = "1";
  }

  #finish(article, { html, state, at }) {
    article.dataset.done = "1";
    article.dataset.state = state;
    article.append(this.#answerBlock({ html, state, at, t: article.dataset.turn }));
    window.htmx.process(article);
  }

  #answerBlock({ html, state = "", at = "", t = "", by = "" }) {
    const block = this.#fromTemplate("answer", t);
    const prose = block.querySelector(".prose");
    prose.innerHTML = html; // sanitised on the server, see memory/web/markdown.py
    prose.hidden = !html.trim();
    const note = block.querySelector("[data-note]");
    note.textContent = this.words[`note${state[0]?.toUpperCase() ?? ""}${state.slice(1)}`] ?? "";
    note.hidden = !note.textContent;
    for (const retry of block.querySelectorAll("[data-retry]")) {
      retry.hidden = !["interrupted", "failed"].includes(state);
    }
    const time = block.querySelector("time");
    if (at) {
      time.dateTime = at;
      time.textContent = this.clock.format(new Date(at));
    }
    if (by) {
      const name = block.querySelector("[data-by]");
      name.textContent = neutral(by);
      name.className = "speaker";
    }
    if (!t) block.querySelector(".tools")?.remove();
    return block;
  }

  // Who said the words of a turn: it may turn out only when the turns before it have run.
  #label(t, speaker) {
    const name = turn(t)?.querySelector(".said [data-by]");
    if (!name || speaker === undefined) return;
    name.textContent = speaker ? neutral(speaker) : this.words.you;
    name.className = speaker ? "speaker" : "visually-hidden";
  }

  #saidArticle({ said, at, speaker = "", language = "" }) {
    const article = element("article", "turn");
    const block = this.#fromTemplate("said", "");
    block.querySelector(".words bdi").textContent = neutral(said);
    if (speaker) {
      const name = block.querySelector("[data-by]");
      name.textContent = neutral(speaker);
      name.className = "speaker";
    }
    if (at) article.dataset.at = at;
    article.dataset.lang = language;
    block.querySelector(".words").lang = language; // which voice reads it out
    article.append(block);
    return article;
  }

  #showCards(article, { cards, more }) {
    const place = article.querySelector("[data-chips]");
    if (!place || place.childElementCount) return;
    const chips = cards.map((card) => {
      const chip = this.#fromTemplate("chip", card.id);
      chip.prepend(fragment(this.page.querySelector(`template[data-shape="${card.category}"]`).innerHTML));
      chip.querySelector("[data-label]").textContent = neutral(card.label);
      chip.querySelector("[data-when]").textContent = card.when ? this.#moment(card.when) : "";
      return chip;
    });
    let target = place;
    if (chips.length + more > 1) {
      target = this.#fromTemplate("several", "");
      target.querySelector("[data-count]").textContent = String(chips.length + more);
      place.append(target);
      target = target.querySelector("[data-list]");
    }
    target.append(...chips);
    place.hidden = false;
    window.htmx.process(place);
  }

  // A card's wall-clock time as it was said, not moved to this browser's zone: a month, a day or a minute.
  #moment(local) {
    const thisYear = local.startsWith(`${new Date().getFullYear()}-`);
    const year = thisYear ? {} : { year: "numeric" };
    const day = { weekday: "short", day: "numeric", month: "short", ...year };
    const parts = { 7: { month: "long", ...year }, 10: day, 16: { ...day, ...HOURS } }[local.length];
    return new Intl.DateTimeFormat(this.locale, { timeZone: "UTC", ...parts }).format(Date.parse(padded(local)));
  }

  #showLive(t, text) {
    if (this.live.dataset.turn !== t) return;
    this.bubble.textContent = neutral(text);
    this.live.classList.toggle("empty", !text);
  }

  #clearLive() {
    this.live.hidden = true;
    this.live.dataset.turn = "";
    this.bubble.textContent = "";
    this.onRunning("");
  }

  #banner(name, text) {
    const banner = this.page.querySelector(`[data-banner="${name}"]`);
    banner.hidden = !text;
    banner.querySelector("[data-text]").textContent = text;
  }

  #fromTemplate(name, id) {
    const template = this.page.querySelector(`template[data-part="${name}"]`);
    // Ids are letters, digits, - and _ only (the server makes them), so that they cannot break the markup.
    return fragment(template.innerHTML.replaceAll("__id__", /^[\w-]*$/.test(id) ? id : "")).firstElementChild;
  }

  // Follows the end only when the reader is there; otherwise says that there is more.
  #change(act) {
    const follow = this.#isNearEnd();
    const before = document.documentElement.scrollHeight;
    act();
    if (follow) this.toEnd();
    else if (document.documentElement.scrollHeight > before) this.#noteNews(true);
  }

  #isNearEnd() {
    const page = document.documentElement;
    return page.scrollHeight - (scrollY + innerHeight) <= NEAR_END_PX;
  }

  #noteNews(there) {
    this.newest.hidden = !there;
  }
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

function turn(id) {
  return document.getElementById(`turn-${id}`);
}

function element(tag, classes) {
  const made = document.createElement(tag);
  made.className = classes;
  return made;
}

function fragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content;
}

function escaped(text) {
  const paragraph = element("p", "");
  paragraph.dir = "auto";
  paragraph.textContent = text ?? "";
  return paragraph.outerHTML;
}

// First-strong isolate: a name cannot turn around the sentence it stands in.
function isolated(name) {
  return `\u2068${neutral(name)}\u2069`;
}

// Marks that turn around what follows them have no place on the page; what is stored keeps them.
function neutral(text) {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
}

function padded(local) {
  return `${local}${"0000-01-01T00:00".slice(local.length)}Z`;
}

function localDay(at, timeZone) {
  if (!at) return "";
  return new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(new Date(at));
}
