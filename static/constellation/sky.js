// Draws the sky with Plotly, and answers where a point is on the screen. Knows no filter and no panel.

import { threads } from "./mask.js";

// Pixels at the left, right, top and bottom that are under buttons and words while everything is shown.
const NARROW_PX = 600;
const INSETS = { narrow: [18, 18, 46, 62], wide: [68, 30, 46, 26] };
const FADED = "0.13";
const HIT_PX = 22;
const CONFIG = {
  displayModeBar: false,
  showSendToCloud: false,
  plotlyServerURL: "",
  displaylogo: false,
  scrollZoom: true,
  doubleClick: false,
  showTips: false,
  responsive: true,
};

// From one at 300 points to `least` at 3,000: dense areas would burn to white.
function dense(count, least) {
  const along = Math.log10(Math.max(count, 300) / 300);
  return 1 - (1 - least) * Math.min(along, 1);
}

export class Sky {
  constructor(box, skeletons, categories) {
    this.box = box;
    this.skeletons = skeletons;
    this.categories = categories;
    this.points = null;
    this.shown = null;
    this.faded = null;
    this.chosen = -1;
    this.#dark = matchMedia("(prefers-color-scheme: dark)");
    this.#dark.addEventListener("change", () => this.points && this.draw(this.points));
  }

  #dark;
  #listening = false;

  // Whether there is a drawing that can be looked at from nearer or moved.
  get #isDrawn() {
    return Boolean(this.points && this.box._fullLayout);
  }

  get #plot() {
    return globalThis.Plotly;
  }

  // Draw these points; the view stays where it was, unless there was none.
  async draw(points) {
    this.points = points;
    if (this.shown?.length !== points.count) {
      this.shown = new Uint8Array(points.count).fill(1);
      this.faded = null;
    }
    const figure = structuredClone(this.skeletons[this.#dark.matches ? "dark" : "light"]);
    const kept = this.box.layout;
    const { x, y } = kept?.xaxis?.range ? { x: kept.xaxis.range, y: kept.yaxis.range } : this.#full;
    figure.layout.xaxis.range = x;
    figure.layout.yaxis.range = y;
    await this.#plot.react(this.box, this.#fill(figure.data), figure.layout, CONFIG);
    if (!this.#listening) {
      this.#listening = true;
      this.box.on("plotly_afterplot", () => this.#dress());
    }
    this.#dress();
  }

  #fill(traces) {
    const sky = this.points;
    // A phone has a quarter of a desk's room: what is drawn on it is smaller, the more so the denser.
    const room = Math.min(1, (this.box.clientWidth * this.box.clientHeight) / 560_000);
    const few = 1 + 0.5 * Math.max(0, 1 - sky.count / 60); // the first ones have the whole sky to themselves
    const small = Math.max(room ** (sky.count > 1000 ? 0.4 : 0.25), 0.55) * few;
    const core = dense(sky.count, 0.6) * small;
    const glow = dense(sky.count, 0.55) * small;
    this.members = this.categories.map(() => []);
    sky.kind.forEach((kind, at) => this.members[kind].push(at));
    const [line, halo, ...rest] = traces;
    line.line.color = line.line.color.replace(/[\d.]+\)$/, (alpha) => `${(alpha.slice(0, -1) * dense(sky.count, 0.4)).toFixed(3)})`);
    Object.assign(line, threads(sky, () => true));
    halo.x = sky.x;
    halo.y = sky.y;
    halo.marker.size *= glow;
    rest.slice(0, this.categories.length).forEach((trace, kind) => {
      trace.x = this.members[kind].map((at) => sky.x[at]);
      trace.y = this.members[kind].map((at) => sky.y[at]);
      trace.marker.size *= core;
      trace.marker.line.width *= Math.max(core, 0.75);
    });
    for (const trace of traces) {
      trace.uid = `sky-${trace.name}`;
      if (trace.line) trace.line.simplify = false;
    }
    return traces;
  }

  // Show some points and fade some of these.
  setMask(shown, faded) {
    this.shown = shown;
    this.faded = faded;
    this.#dress();
  }

  choose(at) {
    this.chosen = at;
    this.#dressChosen();
  }

  // Plotly makes its nodes anew whenever it draws: what is hidden or faded is said to each again.
  #dress() {
    if (!this.points || !this.shown) return;
    this.#dressTrace("halo", (at) => at);
    this.categories.forEach((name, kind) => this.#dressTrace(name, (at) => this.members[kind][at]));
    this.#dressThreads();
    this.#dressChosen();
  }

  #dressTrace(name, pointOf) {
    const { shown, faded } = this;
    const nodes = this.box.querySelectorAll(`.tracesky-${name} .points > path`);
    nodes.forEach((node, order) => {
      const at = pointOf(node.__data__?.i ?? order);
      const display = shown[at] ? "" : "none";
      const opacity = faded && faded[at] ? FADED : "1";
      if (node.style.display !== display) node.style.display = display;
      if (node.style.opacity !== opacity) node.style.opacity = opacity;
    });
  }

  // Plotly draws all threads once. Drawing only some of them anew would be half a second of its work at
  // 3,000 points: these are one path beside its own, in the same layer, so that it moves and zooms along.
  #dressThreads() {
    const own = this.box.querySelector(".tracesky-threads");
    if (!own) return;
    const passes = (at) => this.shown[at] && !(this.faded && this.faded[at]);
    const all = this.shown.every((each) => each) && !this.faded;
    own.style.display = all ? "" : "none";
    const path = this.#overlay("path", "sky-some", own);
    path.setAttribute("d", all ? "" : this.#way((a, b) => passes(a) && passes(b)));
    path.style.stroke = this.box.data[0].line.color;
    path.style.strokeWidth = 1;
  }

  #dressChosen() {
    const { chosen } = this;
    const halos = this.box.querySelector(".tracesky-halo");
    if (!halos) return;
    const isShown = chosen >= 0 && this.shown[chosen];
    const lit = this.#overlay("path", "sky-lit", halos);
    const ring = this.#overlay("circle", "sky-ring", null);
    for (const node of [lit, ring]) {
      node.style.display = isShown ? "" : "none";
      node.style.stroke = this.box.layout.meta.lit;
    }
    if (!isShown) return;
    lit.setAttribute("d", this.#way((a, b) => (a === chosen || b === chosen) && this.shown[a] && this.shown[b]));
    const [x, y] = this.#inPlot(chosen);
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    ring.setAttribute("r", 14);
  }

  // A node of our own among Plotly's traces, before one of them or above all.
  #overlay(kind, name, before) {
    const layer = this.box.querySelector(".scatterlayer");
    const node = layer.querySelector(`.${name}`) ?? document.createElementNS("http://www.w3.org/2000/svg", kind);
    node.setAttribute("class", name);
    layer.insertBefore(node, before);
    return node;
  }

  #way(passes) {
    const sky = this.points;
    const { xaxis, yaxis } = this.box._fullLayout;
    const parts = [];
    sky.from.forEach((a, number) => {
      const b = sky.to[number];
      if (!passes(a, b)) return;
      const [ax, ay] = [xaxis.l2p(sky.x[a]).toFixed(1), yaxis.l2p(sky.y[a]).toFixed(1)];
      parts.push(`M${ax},${ay}L${xaxis.l2p(sky.x[b]).toFixed(1)},${yaxis.l2p(sky.y[b]).toFixed(1)}`);
    });
    return parts.join("");
  }

  #inPlot(at) {
    const { xaxis, yaxis } = this.box._fullLayout;
    return [xaxis.l2p(this.points.x[at]), yaxis.l2p(this.points.y[at])];
  }

  // Where a point is, in pixels of the box.
  position(at) {
    const { xaxis, yaxis } = this.box._fullLayout;
    return [xaxis._offset + xaxis.l2p(this.points.x[at]), yaxis._offset + yaxis.l2p(this.points.y[at])];
  }

  // The shown point nearest to a place in pixels; -1 when none is near.
  hit(left, top, reach = HIT_PX) {
    if (!this.#isDrawn) return -1;
    let best = -1;
    let least = reach * reach;
    for (let at = 0; at < this.points.count; at++) {
      if (!this.shown[at]) continue;
      const [x, y] = this.position(at);
      const far = (x - left) ** 2 + (y - top) ** 2;
      if (far < least) [best, least] = [at, far];
    }
    return best;
  }

  // The next shown point in a direction, for the keyboard.
  next(at, [right, down]) {
    if (!this.#isDrawn) return -1;
    if (at < 0 || !this.shown[at]) {
      const { clientWidth, clientHeight } = this.box;
      return this.hit(clientWidth / 2, clientHeight / 2, Infinity);
    }
    const [fromX, fromY] = this.position(at);
    let best = at;
    let least = Infinity;
    for (let other = 0; other < this.points.count; other++) {
      if (!this.shown[other] || other === at) continue;
      const [x, y] = this.position(other);
      const along = (x - fromX) * right + (y - fromY) * down;
      const aside = Math.abs((x - fromX) * down) + Math.abs((y - fromY) * right);
      if (along <= 0.5) continue;
      const cost = along + 2.5 * aside;
      if (cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  get range() {
    const { xaxis, yaxis } = this.box._fullLayout;
    return { x: [...xaxis.range], y: [...yaxis.range] };
  }

  #look(x, y) {
    return this.#plot.relayout(this.box, { "xaxis.range": x, "yaxis.range": y });
  }

  zoom(factor) {
    if (!this.#isDrawn) return null;
    const about = ([low, high]) => {
      const middle = (low + high) / 2;
      const half = Math.min(((high - low) / 2) * factor, 1.2);
      return [middle - half, middle + half];
    };
    const { x, y } = this.range;
    return this.#look(about(x), about(y));
  }

  // The view that holds the whole sky between what stands over it.
  get #full() {
    const { clientWidth, clientHeight } = this.box;
    const [left, right, top, bottom] = INSETS[clientWidth < NARROW_PX ? "narrow" : "wide"];
    const range = (length, before, after) => {
      const room = Math.max(length - before - after, 100);
      return [-before / room, 1 + after / room];
    };
    return { x: range(clientWidth, left, right), y: range(clientHeight, bottom, top) };
  }

  reset() {
    if (!this.#isDrawn) return null;
    const { x, y } = this.#full;
    return this.#look(x, y);
  }

  // The view that holds these points, with room around; never closer than a fifth of the sky.
  fit(points) {
    if (!points.length) return this.reset();
    const full = this.#full;
    const side = (values, whole) => {
      const low = Math.min(...values);
      const high = Math.max(...values);
      const half = Math.max(((high - low) / 2) * 1.15, 0.1);
      const middle = (low + high) / 2;
      return half > 0.48 ? whole : [middle - half, middle + half];
    };
    return this.#look(
      side(points.map((at) => this.points.x[at]), full.x),
      side(points.map((at) => this.points.y[at]), full.y),
    );
  }

  // Bring a point into sight if it is not; so many pixels at the right and below are under something.
  reveal(at, { right = 0, below = 0 } = {}) {
    if (!this.#isDrawn) return null;
    const [x, y] = this.position(at);
    const { clientWidth, clientHeight } = this.box;
    if (x > 30 && y > 30 && x < clientWidth - right - 30 && y < clientHeight - below - 30) return null;
    const { x: across, y: up } = this.range;
    const wide = across[1] - across[0];
    const high = up[1] - up[0];
    const middle = this.points.x[at] + (right / clientWidth / 2) * wide;
    const level = this.points.y[at] - (below / clientHeight / 2) * high;
    return this.#look([middle - wide / 2, middle + wide / 2], [level - high / 2, level + high / 2]);
  }
}
