// Notifications on this device. Asks for permission only when a reminder was set, and only
// after a click: browsers refuse to ask before.
"use strict";

(() => {
  const ANSWERED = "asterism-notify-answered"; // the person has seen the question on this device
  const OFF = "asterism-notify-off"; // the person turned it off here though the browser would allow it
  const canPush = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  let known = null;

  const headers = { Accept: "application/json" };
  const about = () => (known ??= fetch("/notify/", { headers }).then((response) => response.json()));

  async function post(path, body) {
    const { csrf } = await about();
    return fetch(path, {
      method: "POST",
      headers: { ...headers, "X-CSRFToken": csrf, "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
  }

  const registration = () => navigator.serviceWorker.register("/sw.js", { scope: "/" });

  async function subscribe() {
    await registration();
    const worker = await navigator.serviceWorker.ready;
    const { key } = await about();
    let found = await worker.pushManager.getSubscription();
    if (found && !isSameKey(found.options.applicationServerKey, key)) {
      await found.unsubscribe();
      found = null;
    }
    // A browser without a push service still shows what an open page tells it.
    found ??= await worker.pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey: key })
      .catch(() => null);
    if (found) await post("/notify/subscription", found);
  }

  function isSameKey(buffer, key) {
    if (!buffer) return false;
    const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
    return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "") === key;
  }

  async function unsubscribe() {
    const worker = await navigator.serviceWorker.getRegistration("/");
    const found = await worker?.pushManager.getSubscription();
    await post("/notify/subscription/remove");
    await found?.unsubscribe();
  }

  // A reminder that rings while this page is open.
  async function ring({ id, text, when, late, device }) {
    const { device: mine } = await about();
    if (device && device !== mine) return;
    if (document.visibilityState === "visible") post(`/notify/${id}/seen`);
    if (!canPush || Notification.permission !== "granted") return;
    await registration();
    const worker = await navigator.serviceWorker.ready;
    const words = document.querySelector("[data-notify-words]")?.dataset ?? {};
    worker.active.postMessage({
      show: {
        id,
        text: text || words.reminder || "Asterism",
        when: late && words.late ? `${when} · ${words.late}` : when,
        language: document.documentElement.lang,
        done: words.done,
        snooze: words.snooze,
      },
    });
  }

  async function offer() {
    if (isSecureContext && (!canPush || Notification.permission !== "default")) return;
    if (document.querySelector("[data-offer]") || localStorage.getItem(ANSWERED)) return;
    const place = document.querySelector(".foot .say") ?? document.querySelector("#notice");
    if (!place) return;
    const response = await fetch("/notify/offer", { headers: { "HX-Request": "true" } });
    if (!response.ok || document.querySelector("[data-offer]")) return;
    const holder = document.createElement("template");
    holder.innerHTML = await response.text();
    place.before(holder.content);
  }

  async function allow() {
    localStorage.setItem(ANSWERED, "1");
    localStorage.removeItem(OFF);
    if ((await Notification.requestPermission()) === "granted") await subscribe();
    tell();
  }

  document.addEventListener("click", async (event) => {
    if (event.target.closest("[data-offer-allow]")) {
      event.target.closest("[data-offer]").remove();
      await allow();
    } else if (event.target.closest("[data-offer-close]")) {
      localStorage.setItem(ANSWERED, "1");
      event.target.closest("[data-offer]").remove();
    } else if (event.target.closest("[data-notify-on]")) {
      await allow();
    } else if (event.target.closest("[data-notify-off]")) {
      localStorage.setItem(OFF, "1");
      await unsubscribe();
      tell();
    }
  });

  // The panel that says how it stands on this device.
  async function tell() {
    const panel = document.querySelector("[data-notify-panel]");
    if (!panel) return;
    let state = "unable";
    if (!isSecureContext) state = "plain";
    else if (canPush && Notification.permission === "denied") state = "blocked";
    else if (canPush) state = (await isOn()) ? "on" : "off";
    for (const each of panel.querySelectorAll("[data-notify-state]")) {
      each.hidden = each.dataset.notifyState !== state;
    }
  }

  async function isOn() {
    if (Notification.permission !== "granted") return false;
    const worker = await navigator.serviceWorker.getRegistration("/");
    return Boolean(await worker?.pushManager.getSubscription());
  }

  document.addEventListener("asterism:frame", ({ detail: frame }) => {
    if (frame.kind === "reminder") ring(frame);
    if (frame.kind === "cards" && frame.cards.some((card) => card.category === "reminder")) offer();
  });
  document.addEventListener("asterism:reminder-set", offer);

  // Whoever signs out is told nothing more on this browser: others may use it.
  document.querySelector('form[action$="/sign-out"]')?.addEventListener("submit", (event) => {
    if (!canPush || Notification.permission !== "granted" || event.target.dataset.quiet) return;
    event.preventDefault();
    event.target.dataset.quiet = "1";
    unsubscribe().finally(() => event.target.submit());
  });

  // The browser may have a new address since, the server may have forgotten the old one, or
  // somebody signed in again: whoever allowed notifications here goes on getting them.
  const isAllowed = canPush && isSecureContext && Notification.permission === "granted";
  if (isAllowed && !localStorage.getItem(OFF)) subscribe().then(tell);
  else tell();
})();
