// What of the sky is shown: one rule for points, halos, threads and counts. Nothing here touches the page.

const GRID = 10_000;

// A sky without points: what stands until the first answer, or when none comes.
export const EMPTY = Object.freeze({
  k: [], x: [], y: [], c: "", n: [], s: [], since: 0, d: [], a: [], b: [], total: 0, waiting: 0, counts: [],
});

// The columns that the server sends, as arrays of plain values.
export function unpack(data) {
  let day = data.since;
  let a = 0;
  const days = data.d.map((step) => (day += step));
  const from = data.a.map((step) => (a += step));
  return {
    count: data.k.length,
    total: data.total,
    waiting: data.waiting,
    counts: data.counts,
    handles: data.k,
    index: new Map(data.k.map((handle, at) => [handle, at])),
    x: data.x.map((value) => value / GRID),
    y: data.y.map((value) => value / GRID),
    kind: [...data.c].map(Number),
    uses: data.n,
    good: data.s,
    days,
    from,
    to: data.b.map((step, at) => from[at] + step),
  };
}

// A point by its card's public id, or by what stands for it; -1 when it is not drawn.
export function indexOf(sky, id) {
  for (const length of [5, id.length]) {
    const at = sky.index.get(id.slice(0, length));
    if (at !== undefined) return at;
  }
  return -1;
}

export function neighbours(sky, at) {
  const found = new Set();
  sky.from.forEach((a, number) => {
    if (a === at) found.add(sky.to[number]);
    else if (sky.to[number] === at) found.add(a);
  });
  return found;
}

// A date of a form as the number of days that the server counts.
function ordinal(text) {
  const ms = Date.parse(`${text}T00:00Z`);
  return Number.isNaN(ms) ? null : Math.round(ms / 86_400_000) + 719_163;
}

// The form and the legend as one filter; `kinds` are the numbers of the categories that are on.
export function readFilter(fields, kinds) {
  const number = (name, otherwise) => {
    const text = fields.get(name);
    const value = Number(text);
    return text === null || text === "" || Number.isNaN(value) ? otherwise : value;
  };
  return {
    kinds,
    least: number("worth_from", 0) / 100,
    most: number("worth_to", 100) / 100,
    uses: number("uses", 0),
    unrated: fields.get("unrated") === "1",
    since: ordinal(fields.get("since") || ""),
    until: ordinal(fields.get("until") || ""),
    person: fields.get("person") || "",
    words: (fields.get("q") || "").trim(),
  };
}

// Which points are shown, and how many of each kind would be if every kind were on.
export function mask(sky, filter, kindCount) {
  const shown = new Uint8Array(sky.count);
  const counts = new Array(kindCount).fill(0);
  let near = null;
  if (filter.person) {
    const at = indexOf(sky, filter.person);
    near = at < 0 ? new Set() : neighbours(sky, at).add(at);
  }
  let total = 0;
  for (let at = 0; at < sky.count; at++) {
    const uses = sky.uses[at];
    if (uses > 0) {
      const rate = sky.good[at] / uses;
      if (uses < filter.uses || rate < filter.least - 1e-9 || rate > filter.most + 1e-9) continue;
    } else if (!filter.unrated) continue;
    if (filter.since !== null && sky.days[at] < filter.since) continue;
    if (filter.until !== null && sky.days[at] > filter.until) continue;
    if (near && !near.has(at)) continue;
    counts[sky.kind[at]]++;
    if (filter.kinds.has(sky.kind[at])) {
      shown[at] = 1;
      total++;
    }
  }
  return { shown, counts, total };
}

// The range in which the share that went well truly lies: 5 and 95 % of Beta(1 + good, 1 + uses - good),
// whose distribution function is the upper tail of a binomial of uses + 1 draws.
export function bounds(good, uses) {
  const tail = (x) => {
    let sum = 0;
    let ways = 0; // the logarithm of uses + 1 over k
    for (let k = 0; k <= uses + 1; k++) {
      if (k > good) sum += Math.exp(ways + k * Math.log(x) + (uses + 1 - k) * Math.log1p(-x));
      ways += Math.log((uses + 1 - k) / (k + 1));
    }
    return sum;
  };
  return [0.05, 0.95].map((level) => {
    let [low, high] = [0, 1];
    for (let step = 0; step < 30; step++) {
      const middle = (low + high) / 2;
      if (tail(middle) < level) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  });
}

// The threads whose ends both pass, as one line with gaps.
export function threads(sky, passes) {
  const x = [];
  const y = [];
  sky.from.forEach((a, number) => {
    const b = sky.to[number];
    if (!passes(a, b)) return;
    x.push(sky.x[a], sky.x[b], null);
    y.push(sky.y[a], sky.y[b], null);
  });
  return { x, y };
}
