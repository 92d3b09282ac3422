// The talk of an agent: links into the folded talk, ready texts at the cursor, one id for each message.
"use strict";

(() => {
  // A line of the sheet leads into the folded talk: unfold it first.
  function unfold() {
    const target = location.hash.startsWith("#turn-") && document.getElementById(location.hash.slice(1));
    const folded = target && target.closest("details");
    if (folded) folded.open = true;
    if (target) target.scrollIntoView({ block: "center" });
  }

  addEventListener("hashchange", unfold);
  document.addEventListener("click", (event) => {
    if (event.target.closest('a[href^="#turn-"]')) setTimeout(unfold);
  });

  // Each message has an id of its own; the same one sent twice is one message.
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.successful || !event.target.matches?.("form[data-fresh-id]")) return;
    event.target.querySelector("[name=client_id]").value = crypto.randomUUID?.() ?? `m${Date.now()}${Math.random()}`.replace(".", "");
    event.target.querySelector("textarea").focus();
  });

  // A ready text goes where the cursor is, and can be taken back with the browser's own undo.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-insert]");
    if (!button) return;
    button.closest("details").open = false;
    const field = document.getElementById("text");
    field.focus();
    if (!document.execCommand("insertText", false, button.dataset.insert)) {
      field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
    }
  });

  document.getElementById("say")?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  });
})();
