// On every page of an agent: how many wait in the title and on the app's icon, a sound when somebody new does.
"use strict";

(() => {
  const title = document.title;
  let newest = null; // not known before the first word of the server

  function announce() {
    const told = document.getElementById("queue") ?? document.getElementById("desk-badge");
    if (!told) return;
    const waiting = Number(told.dataset.waiting);
    document.title = waiting ? `(${waiting}) ${title}` : title;
    navigator.setAppBadge?.(waiting).catch(() => {});
    const latest = Number(told.dataset.newest);
    if (newest !== null && latest > newest && localStorage.getItem("asterism.desk.sound")) ring();
    newest = Math.max(newest ?? 0, latest);
  }

  // Two soft tones; made here, so that no file is needed.
  function ring() {
    const audio = new AudioContext();
    for (const [at, pitch] of [[0, 660], [0.18, 880]]) {
      const tone = audio.createOscillator();
      const loudness = audio.createGain();
      tone.frequency.value = pitch;
      loudness.gain.setValueAtTime(0.12, audio.currentTime + at);
      loudness.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.3);
      tone.connect(loudness).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.3);
    }
    setTimeout(() => audio.close(), 1000);
  }

  const sound = document.querySelector("[data-sound]");
  if (sound) {
    sound.checked = localStorage.getItem("asterism.desk.sound") === "1";
    sound.addEventListener("change", () => {
      localStorage.setItem("asterism.desk.sound", sound.checked ? "1" : "");
      if (sound.checked) ring(); // browsers allow sound once somebody has clicked for it
    });
  }

  // What notifications told of stands on this page now.
  if (document.getElementById("queue")) {
    navigator.serviceWorker?.getRegistration("/").then(async (worker) => {
      for (const each of (await worker?.getNotifications()) ?? []) if (each.tag.startsWith("desk-")) each.close();
    });
    announce();
  }
  // The badge comes with nothing and asks at once: what it says first is no news.
  document.addEventListener("htmx:afterSettle", announce);
})();
