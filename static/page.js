// What every page needs: the CSRF token for htmx, the time zone in forms, copying, the menu.
"use strict";

document.addEventListener("htmx:configRequest", (event) => {
  const token = document.querySelector('meta[name="csrf-token"]');
  if (token) event.detail.headers["X-CSRFToken"] = token.content;
});

function fillZones(root) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "";
  for (const field of root.querySelectorAll("input[data-zone]")) {
    if (!field.value) field.value = zone;
  }
}

fillZones(document);
document.addEventListener("htmx:load", (event) => fillZones(event.detail.elt));

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = source.value ?? source.textContent;
  try {
    await navigator.clipboard.writeText(text.trim());
    button.textContent = button.dataset.copied;
  } catch {
    source.select?.(); // plain http has no clipboard: the person copies it with the keyboard
  }
});

// A menu closes when something else is used, and on Escape.
document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of document.querySelectorAll("details[data-menu][open]")) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// A choice is made: the menu has done its work.
document.addEventListener("submit", (event) => {
  if (!event.submitter?.matches("[data-close-menu]")) return;
  const menu = event.submitter.closest("details[data-menu]");
  menu.open = false;
  for (const part of menu.querySelectorAll("details[open]")) part.open = false;
});

// An offer to undo is over when its time is.
function expire(root) {
  for (const offer of root.querySelectorAll("[data-expires-s]")) {
    setTimeout(() => offer.remove(), Number(offer.dataset.expiresS) * 1000);
  }
}

expire(document);
document.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.matches?.("[data-expires-s]")) expire(event.detail.elt.parentElement);
  else expire(event.detail.elt);
});

// A form that adds to a list is empty again when its entry is there.
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.detail.successful && event.target.matches?.("form[data-reset]")) event.target.reset();
});

// What grew by a press of its own button is not left under the bar or the field.
document.addEventListener("htmx:load", (event) => {
  if (event.detail.elt.matches?.("form.vote")) event.detail.elt.scrollIntoView({ block: "nearest", behavior: "instant" });
});

// What replaced the thing that had the focus takes it over, so that the keyboard goes on from there.
document.addEventListener("htmx:load", (event) => {
  const fresh = event.detail.elt;
  if (fresh === document.body || document.activeElement !== document.body) return;
  fresh.querySelector?.("[autofocus], [data-focus]")?.focus();
});
