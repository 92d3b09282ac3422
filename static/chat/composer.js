// The field one writes in: keys, draft, size, stop.

const TELL_FROM = 0.9; // the count appears when this share of the limit is used

export class Composer {
  /**
   * @param {HTMLFormElement} form
   * @param {object} options
   * @param {import("./outbox.js").Outbox} options.outbox keeps the draft
   * @param {(text: string) => void} options.onSay
   * @param {() => void} options.onStop
   */
  constructor(form, { outbox, onSay, onStop }) {
    Object.assign(this, { form, outbox, onSay, onStop });
    this.field = form.querySelector("textarea");
    this.sendButton = form.querySelector("[data-send]");
    this.stopButton = form.querySelector("[data-stop]");
    this.count = form.querySelector("[data-count]");
    this.problem = form.querySelector("[data-problem]");
    this.limit = Number(form.dataset.max);
    // On a phone the Return key breaks the line; there is a button to send.
    this.touch = matchMedia("(hover: none) and (pointer: coarse)");
    this.busy = false;
    if (!this.field.value) this.field.value = outbox.draft;
    this.#listen();
    this.#look();
  }

  /** Whether an answer is being made. */
  set answering(value) {
    this.busy = value;
    this.stopButton.hidden = !value;
  }

  /** Gives words back that could not be sent, before what was typed since. */
  giveBack(text) {
    this.field.value = this.field.value ? `${text}\n${this.field.value}` : text;
    this.#changed();
  }

  tell(message, { isFault = true } = {}) {
    this.problem.textContent = message;
    this.problem.hidden = !message;
    this.field.toggleAttribute("aria-invalid", Boolean(message) && isFault);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.field.addEventListener("input", () => this.#changed());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.stopButton.addEventListener("click", () => {
      this.onStop();
      this.field.focus();
    });
    // First of all: an open menu takes this Escape for itself.
    const stop = (event) => {
      if (event.key !== "Escape" || !this.busy || event.isComposing) return;
      if (!document.querySelector("details[data-menu][open]")) this.onStop();
    };
    document.addEventListener("keydown", stop, { capture: true });
    this.touch.addEventListener("change", () => this.#look());
  }

  #key(event) {
    // 229 is what some browsers send for Enter while a word is still being composed.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    if (this.touch.matches && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.#send();
  }

  #send() {
    const text = this.field.value;
    if (!text.trim() || this.#length() > this.limit) return;
    this.field.value = "";
    this.#changed();
    this.onSay(text);
    this.field.focus();
  }

  #changed() {
    this.outbox.draft = this.field.value;
    this.tell("");
    this.#look();
  }

  // Characters as the server counts them, not UTF-16 units.
  #length() {
    const units = this.field.value.length;
    return units <= this.limit * TELL_FROM ? units : Array.from(this.field.value).length;
  }

  #look() {
    const length = this.#length();
    const over = length - this.limit;
    const words = this.form.dataset;
    this.count.hidden = length < this.limit * TELL_FROM;
    if (!this.count.hidden) {
      const number = new Intl.NumberFormat(document.documentElement.lang);
      this.count.textContent = (over > 0 ? words.over : words.left).replace("{n}", number.format(Math.abs(over)));
    }
    this.count.classList.toggle("over", over > 0);
    this.sendButton.disabled = over > 0 || !this.field.value.trim();
    this.field.enterKeyHint = this.touch.matches ? "enter" : "send";
    if (!CSS.supports("field-sizing", "content")) {
      this.field.style.height = "auto";
      this.field.style.height = `${this.field.scrollHeight + 2}px`;
    }
  }
}
