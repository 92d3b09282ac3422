// What was typed and not yet taken by the server. It survives a reload and a closed browser.

/** A random id; works without https too, where crypto.randomUUID does not exist. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

// Where a browser forbids storage, the page keeps things for as long as it is open.
class Store {
  #memory = new Map();

  constructor(name) {
    this.area = name;
  }

  get(key) {
    try {
      return window[this.area].getItem(key);
    } catch {
      return this.#memory.get(key) ?? null;
    }
  }

  set(key, value) {
    try {
      if (value) window[this.area].setItem(key, value);
      else window[this.area].removeItem(key);
    } catch {
      this.#memory.set(key, value);
    }
  }
}

const local = new Store("localStorage");
const session = new Store("sessionStorage");

/** The id of this tab: stays over a reload, so that a card that was asked for here opens here. */
export function screenId() {
  const known = session.get("asterism.screen");
  const id = known || randomId();
  session.set("asterism.screen", id);
  return id;
}

export class Outbox {
  #key;
  #draftKey;

  /** @param {string} person whose words: another account on this browser never sees them */
  constructor(person) {
    this.#key = `asterism.outbox.${person}`;
    this.#draftKey = `asterism.draft.${person}`;
  }

  /** @returns {{client_id: string, text: string}[]} oldest first */
  all() {
    try {
      return JSON.parse(local.get(this.#key) || "[]");
    } catch {
      return [];
    }
  }

  add(text) {
    const entry = { client_id: randomId(), text };
    this.#write([...this.all(), entry]);
    return entry;
  }

  /** Takes an entry out and gives it, or undefined when it was not there. */
  drop(clientId) {
    const all = this.all();
    const found = all.find((entry) => entry.client_id === clientId);
    if (found) this.#write(all.filter((entry) => entry !== found));
    return found;
  }

  get draft() {
    return local.get(this.#draftKey) || "";
  }

  set draft(text) {
    local.set(this.#draftKey, text);
  }

  /** Leaves nothing of the person in this browser. */
  clear() {
    this.#write([]);
    this.draft = "";
  }

  #write(entries) {
    local.set(this.#key, entries.length ? JSON.stringify(entries) : "");
  }
}
