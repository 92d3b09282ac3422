// The service worker: shows reminders, with or without an open page, each once.
"use strict";

const SHOWN = "asterism-shown";
const MOST_SHOWN = 100; // ids remembered

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => event.waitUntil(show(event.data.json())));
self.addEventListener("message", (event) => {
  if (event.data?.show) event.waitUntil(show(event.data.show));
});

// An open page and a push message may both bring the same reminder, and a push may come
// twice when a server was killed in the middle: the id tells.
async function show(told) {
  const shown = await caches.open(SHOWN);
  const key = `/shown/${told.id}`;
  if (await shown.match(key)) return;
  await shown.put(key, new Response(""));
  const keys = await shown.keys();
  await Promise.all(keys.slice(0, -MOST_SHOWN).map((old) => shown.delete(old)));
  await self.registration.showNotification(told.text, {
    body: told.when,
    tag: told.id,
    lang: told.language,
    icon: "/static/icon.svg",
    data: { id: told.id, url: told.url },
    actions: [
      { action: "done", title: told.done },
      { action: "snooze", title: told.snooze },
    ].filter((each) => each.title),
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { id, url } = event.notification.data;
  if (url) return event.waitUntil(open(url)); // news that asks for no answer: it leads to its page
  if (event.action) return event.waitUntil(send(id, event.action));
  event.waitUntil(Promise.all([send(id, "seen"), open()]));
});

async function send(id, what) {
  const { csrf } = await (await fetch("/notify/", { headers: { Accept: "application/json" } })).json();
  await fetch(`/notify/${id}/${what}`, { method: "POST", headers: { "X-CSRFToken": csrf } });
}

async function open(url = "/") {
  const pages = await self.clients.matchAll({ type: "window" });
  const there = url === "/" ? pages[0] : pages.find((page) => new URL(page.url).pathname.startsWith(url));
  return there ? there.focus() : self.clients.openWindow(url);
}

self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew()));

async function renew() {
  const { key, csrf } = await (await fetch("/notify/", { headers: { Accept: "application/json" } })).json();
  const fresh = await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  await fetch("/notify/subscription", {
    method: "POST",
    headers: { "X-CSRFToken": csrf, "Content-Type": "application/json" },
    body: JSON.stringify(fresh),
  });
}
