// The desk in a browser: badge in the title, a sound when somebody new waits, links into the folded talk.
"use strict";

(() => {
  const title = document.title;
  let newest = Number(document.getElementById("queue")?.dataset.newest ?? 0);

  function announce() {
    const queue = document.getElementById("queue");
    if (!queue) return;
    const waiting = Number(queue.dataset.waiting);
    document.title = waiting ? `(${waiting}) ${title}` : title;
    navigator.setAppBadge?.(waiting).catch(() => {});
    if (Number(queue.dataset.newest) > newest) {
      newest = Number(queue.dataset.newest);
      if (document.querySelector("[data-sound]")?.checked) ring();
    }
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

  document.addEventListener("htmx:load", announce);
  announce();

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

  document.getElementById("say")?.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  });
})();
