// The constellation's page: puts the sky, the filter, the legend and the panel of a card together.

import { EMPTY, bounds, indexOf, mask, neighbours, readFilter, unpack } from "./constellation/mask.js";
import { Sky } from "./constellation/sky.js";

const TYPING_MS = 220;
const ARRANGING_MS = 2_000;
const WAYS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

class Page {
  constructor(root) {
    this.root = root;
    this.words = JSON.parse(root.dataset.words);
    this.categories = root.dataset.categories.split(" ");
    this.form = document.getElementById("sky-filter");
    this.panel = document.getElementById("sky-panel");
    this.cardBox = document.getElementById("sky-card");
    this.hover = document.getElementById("sky-hover");
    this.count = document.getElementById("sky-count");
    this.legend = document.querySelector(".sky-legend");
    this.labels = new Map();
    this.data = unpack(EMPTY);
    this.found = null;
    this.cursor = -1;
    this.isLimited = false;
    this.isSolo = false;
    const skeletons = JSON.parse(root.dataset.skeletons);
    this.sky = new Sky(document.getElementById("plot"), skeletons, this.categories);
    this.listen();
  }

  // Loading

  async start() {
    await this.load(false);
    if (this.filterIsSet()) await (this.isLimited ? this.load(true) : this.search());
    const opened = this.cardBox.querySelector("[data-opened]")?.dataset.opened;
    const asked = new URLSearchParams(location.search).get("card");
    if (opened) this.light(opened);
    else if (asked) this.gone();
  }

  // All points, or with `filtered` those that the server's filter leaves.
  async load(filtered) {
    const query = filtered ? `?${this.parameters()}` : "";
    try {
      const answer = await fetch(this.root.dataset.source + query, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      this.data = unpack(await answer.json());
    } catch {
      this.count.textContent = this.words.failed;
      return;
    }
    if (!filtered) this.isLimited = this.data.total > Number(this.root.dataset.most);
    this.all = filtered ? this.all : this.data.total;
    this.sky.shown = null;
    this.found = null;
    this.cursor = -1;
    this.hideHover();
    if (this.sky.chosen >= this.data.count) this.sky.chosen = -1;
    document.getElementById("sky-empty").hidden = this.all > 0 || this.data.waiting > 0;
    await this.sky.draw(this.data);
    this.apply();
    this.root.dataset.drawn = String(this.data.count);
    this.loadLabels(query);
    if (this.data.waiting) {
      this.count.textContent = this.words.arranging;
      setTimeout(() => this.load(filtered), ARRANGING_MS);
    }
  }

  async loadLabels(query) {
    try {
      const answer = await fetch(this.root.dataset.labels + query, { headers: { Accept: "application/json" } });
      const told = await answer.json();
      this.labels = new Map(told.k.map((handle, at) => [handle, told.t[at]]));
      // Whoever was quicker than the names is told them now.
      if (this.cursor >= 0) this.count.textContent = this.nameOf(this.cursor);
      if (!this.hover.hidden) this.showHover(this.hovered);
    } catch {
      // Without names the sky still opens cards; the next drawing asks again.
    }
  }

  async reload() {
    const opened = this.cardBox.querySelector("[data-opened]")?.dataset.opened;
    this.sky.chosen = -1;
    await this.load(this.isLimited);
    if (this.form.elements.q.value && !this.isLimited) await this.search(false);
    if (opened && !this.panel.hidden) this.light(opened, false);
  }

  // Filtering

  kinds() {
    const on = [...this.legend.querySelectorAll("[data-kind][aria-pressed=true]")];
    return new Set(on.map((button) => this.categories.indexOf(button.dataset.kind)));
  }

  parameters() {
    const told = new URLSearchParams(new FormData(this.form));
    const kinds = this.kinds();
    if (kinds.size < this.categories.length) kinds.forEach((kind) => told.append("category", this.categories[kind]));
    else this.categories.forEach((name) => told.append("category", name));
    for (const [name, value] of [...told]) if (value === "") told.delete(name);
    return told;
  }

  filterIsSet() {
    const told = this.parameters();
    return (
      this.kinds().size < this.categories.length ||
      ["q", "since", "until", "person"].some((name) => told.has(name)) ||
      told.get("worth_from") !== "0" ||
      told.get("worth_to") !== "100" ||
      told.get("uses") !== "0" ||
      !told.has("unrated")
    );
  }

  apply() {
    const filter = readFilter(new FormData(this.form), this.kinds());
    if (this.isLimited) {
      this.tellCounts(this.data.counts);
      this.tell(this.data.count, this.data.total);
      this.sky.setMask(new Uint8Array(this.data.count).fill(1), this.fadedBy(null));
      return;
    }
    const { shown, counts, total } = mask(this.data, filter, this.categories.length);
    this.tellCounts(counts);
    this.sky.setMask(shown, this.fadedBy(this.found));
    if (this.found) {
      const hits = [...this.found].filter((at) => shown[at]).length;
      this.count.textContent = hits ? this.words.found.replace("{count}", hits) : this.words.none;
    } else this.tell(total, this.data.total);
  }

  fadedBy(found) {
    if (found === null) return null;
    const faded = new Uint8Array(this.data.count).fill(1);
    found.forEach((at) => (faded[at] = 0));
    return faded;
  }

  tell(shown, total) {
    if (total === 0 && !this.filterIsSet()) this.count.textContent = "";
    else if (shown === 0) this.count.textContent = this.words.none;
    else {
      const number = new Intl.NumberFormat(document.documentElement.lang);
      const told = this.words.shown.replace("{shown}", number.format(shown));
      this.count.textContent = told.replace("{total}", number.format(total));
    }
  }

  tellCounts(counts) {
    const number = new Intl.NumberFormat(document.documentElement.lang);
    this.categories.forEach((name, kind) => {
      this.legend.querySelector(`[data-kind="${name}"] [data-number]`).textContent = number.format(counts[kind]);
    });
  }

  // What holds the words stays bright, the rest fades, and the view goes there.
  async search(moves = true) {
    const words = this.form.elements.q.value.trim();
    if (!words) {
      const was = this.found;
      this.found = null;
      this.apply();
      if (was && moves) this.sky.reset();
      return;
    }
    const asked = new URLSearchParams({ q: words });
    try {
      const answer = await fetch(`${this.root.dataset.find}?${asked}`, { headers: { Accept: "application/json" } });
      const told = await answer.json();
      if (this.form.elements.q.value.trim() !== words) return; // typed on meanwhile
      this.found = new Set(told.k.map((id) => indexOf(this.data, id)).filter((at) => at >= 0));
    } catch {
      this.count.textContent = this.words.failed;
      return;
    }
    this.apply();
    const visible = [...this.found].filter((at) => this.sky.shown[at]);
    if (moves && visible.length) this.sky.fit(visible);
  }

  changed(name) {
    this.keepAddress();
    this.hideHover();
    if (this.isLimited) {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.load(true), TYPING_MS);
    } else if (name === "q") {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.search(), TYPING_MS);
    } else this.apply();
  }

  keepAddress() {
    const told = this.filterIsSet() ? this.parameters() : new URLSearchParams();
    for (const link of document.querySelectorAll("[data-view]")) {
      const path = link.getAttribute("href").split("?")[0];
      link.setAttribute("href", String(told) ? `${path}?${told}` : path);
    }
    const opened = this.panel.hidden ? null : this.cardBox.querySelector("[data-opened]")?.dataset.opened;
    if (opened) told.set("card", opened);
    history.replaceState(null, "", String(told) ? `?${told}` : location.pathname);
  }

  // On a phone one button stands for the seven "only": while it is on, a kind is chosen instead of switched.
  solo(isOn) {
    this.isSolo = isOn;
    this.legend.querySelector("[data-solo]").setAttribute("aria-pressed", String(isOn));
  }

  press(kinds) {
    for (const button of this.legend.querySelectorAll("[data-kind]")) {
      button.setAttribute("aria-pressed", String(kinds(button)));
    }
    this.changed("category");
  }

  // Cards

  async open(id) {
    const answer = await fetch(this.root.dataset.card + encodeURIComponent(id), { headers: { "HX-Request": "true" } }).catch(() => null);
    if (!answer?.ok) {
      if (answer?.status === 404) await this.gone();
      else this.count.textContent = this.words.failed;
      return;
    }
    // Our own server's fragment, escaped there.
    this.cardBox.innerHTML = await answer.text();
    globalThis.htmx?.process(this.cardBox);
    this.panel.hidden = false;
    this.panel.scrollTop = 0;
    this.panel.focus({ preventScroll: true });
    this.hideHover();
    this.light(this.cardBox.querySelector("[data-opened]").dataset.opened);
    this.keepAddress();
  }

  light(id, moves = true) {
    const at = indexOf(this.data, id);
    if (at < 0) return;
    this.cursor = at;
    const lit = neighbours(this.data, at).add(at);
    this.sky.chosen = at;
    this.sky.setMask(this.sky.shown, this.fadedBy(lit));
    if (moves) this.sky.reveal(at, this.covered());
  }

  // How much of the sky the panel covers: a part at the right, or on a phone the lower part.
  covered() {
    const sky = this.sky.box.getBoundingClientRect();
    const panel = this.panel.getBoundingClientRect();
    if (panel.width < sky.width * 0.8) return { right: sky.right - panel.left };
    return { below: Math.max(0, sky.bottom - panel.top) };
  }

  close() {
    if (this.panel.hidden) return;
    this.panel.hidden = true;
    this.cardBox.replaceChildren();
    this.sky.choose(-1);
    this.apply();
    this.keepAddress();
    this.sky.box.focus();
  }

  async gone() {
    this.close();
    await this.reload();
    this.count.textContent = this.words.gone;
    this.keepAddress();
  }

  // Hovering and the keyboard

  showHover(at) {
    if (at < 0) return this.hideHover();
    this.hovered = at;
    const [x, y] = this.sky.position(at);
    const [kind, name, more] = this.hover.children;
    const button = this.legend.querySelector(`[data-kind="${this.categories[this.data.kind[at]]}"]`);
    kind.replaceChildren(...[...button.children].slice(0, 2).map((child) => child.cloneNode(true)));
    name.textContent = this.nameOf(at) || "…";
    const uses = this.data.uses[at];
    more.textContent = uses ? this.served(this.data.good[at], uses) : this.words.unrated;
    this.hover.hidden = false;
    const left = Math.min(Math.max(x - this.hover.offsetWidth / 2, 8), this.root.clientWidth - this.hover.offsetWidth - 8);
    const above = y - this.hover.offsetHeight - 18;
    this.hover.style.left = `${left}px`;
    this.hover.style.top = `${above < 8 ? y + 18 : above}px`;
    return undefined;
  }

  nameOf(at) {
    return this.labels.get(this.data.handles[at]) ?? "";
  }

  // How a memory served: never without its counts and range.
  served(good, uses) {
    const written = new Intl.NumberFormat(document.documentElement.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
    const [low, high] = bounds(good, uses).map((each) => written.format(each));
    const told = { good, uses, low, high };
    return this.words.rated.replace(/\{(\w+)\}/g, (all, name) => told[name]);
  }

  hideHover() {
    this.hover.hidden = true;
  }

  key(event) {
    if (event.key in WAYS) {
      this.cursor = this.sky.next(this.cursor, WAYS[event.key]);
      if (this.cursor >= 0) {
        const moved = this.sky.reveal(this.cursor, this.panel.hidden ? {} : this.covered());
        (moved ?? Promise.resolve()).then(() => {
          this.showHover(this.cursor);
          this.count.textContent = this.nameOf(this.cursor);
        });
      }
    } else if (event.key === "Enter" && this.cursor >= 0) this.open(this.data.handles[this.cursor]);
    else if (event.key === "+" || event.key === "=") this.sky.zoom(0.7);
    else if (event.key === "-") this.sky.zoom(1 / 0.7);
    else if (event.key === "0") this.sky.reset();
    else return;
    event.preventDefault();
  }

  view(how) {
    this.hideHover();
    if (how === "in") this.sky.zoom(0.7);
    else if (how === "out") this.sky.zoom(1 / 0.7);
    else if (how === "fit") this.sky.fit([...this.sky.shown.keys()].filter((at) => this.sky.shown[at] && !this.sky.faded?.[at]));
    else {
      this.close();
      this.clear();
      this.sky.reset();
    }
  }

  clear() {
    const { elements } = this.form;
    for (const name of ["q", "since", "until", "person"]) if (elements[name]) elements[name].value = "";
    elements.worth_from.value = elements.uses.value = 0;
    elements.worth_to.value = 100;
    elements.unrated.checked = true;
    this.found = null;
    this.press(() => true);
  }

  listen() {
    const box = this.sky.box;
    let down = null;
    const inside = (event) => {
      const frame = box.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    box.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch" || event.buttons) return;
      const at = this.sky.hit(...inside(event));
      box.classList.toggle("on-point", at >= 0);
      this.showHover(at);
    });
    box.addEventListener("pointerleave", () => this.hideHover());
    box.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]), true);
    // On the window: Plotly lays a cover over the page while it is dragged.
    addEventListener("pointerup", (event) => {
      if (!down) return;
      const moved = Math.hypot(event.clientX - down[0], event.clientY - down[1]);
      down = null;
      if (moved > 6) return;
      const at = this.sky.hit(...inside(event));
      if (at >= 0) this.open(this.data.handles[at]);
      else this.close();
    });
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("blur", () => this.hideHover());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.changed("q");
    });
    this.form.addEventListener("input", (event) => this.changed(event.target.name));
    document.getElementById("sky-clear").addEventListener("click", (event) => {
      event.preventDefault();
      this.clear();
      this.sky.reset();
    });
    this.legend.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if ("solo" in button.dataset) this.solo(button.getAttribute("aria-pressed") !== "true");
      else if (button.dataset.kind && this.isSolo) this.press((each) => each === button);
      else if (button.dataset.kind) this.press((each) => (each.getAttribute("aria-pressed") === "true") !== (each === button));
      else if (button.dataset.only) this.press((each) => each.dataset.kind === button.dataset.only);
      else {
        this.solo(false);
        this.press(() => true);
      }
    });
    this.root.addEventListener("click", (event) => {
      const zoom = event.target.closest("[data-zoom]");
      const go = event.target.closest("[data-go]");
      if (zoom) this.view(zoom.dataset.zoom);
      else if (event.target.closest("[data-close]")) this.close();
      else if (go) {
        event.preventDefault();
        this.open(go.dataset.go);
      }
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.close();
    });
    // What is gone is said once, in the sky's own words.
    document.addEventListener("htmx:beforeSwap", (event) => {
      const { xhr, requestConfig } = event.detail;
      if (xhr.status === 404 && this.panel.contains(requestConfig?.elt)) event.detail.shouldSwap = false;
    });
    // What was changed in the panel changes the sky.
    this.panel.addEventListener("htmx:afterRequest", (event) => {
      if (event.detail.successful && event.detail.requestConfig?.verb === "post") this.reload();
      else if (event.detail.xhr?.status === 404) this.gone();
    });
  }
}

function begin() {
  const root = document.getElementById("sky");
  if (root) {
    const page = new Page(root);
    globalThis.asterismSky = page; // for measurements from outside
    page.start();
  }
}

begin();
