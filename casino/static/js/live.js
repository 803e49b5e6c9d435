// Says at once when the page no longer hears from the house, and asks by itself meanwhile: `live-poll` on the body.

import { hourAndMinute, serverNow } from "./clock.js";

const SILENCE = 25_000; // the house says something every ten seconds
const POLL = 15_000;

const sign = document.getElementById("live");
let heardAt = serverNow();
let polling = null;

/** Whether the page hears from the house just now. */
export function isLive() {
  return sign?.dataset.state === "live";
}

function poll() {
  document.body.dispatchEvent(new CustomEvent("live-poll"));
}

function heard() {
  heardAt = serverNow();
  if (isLive()) return;
  const away = sign.dataset.state === "away";
  sign.dataset.state = "live";
  clearInterval(polling);
  polling = null;
  if (away) poll(); // whatever was said meanwhile was not heard
}

function lost() {
  if (sign.dataset.state === "away") return;
  sign.dataset.state = "away";
  const time = sign.querySelector("time");
  time.textContent = hourAndMinute(heardAt);
  time.dateTime = new Date(heardAt).toISOString();
  polling ??= setInterval(poll, POLL);
}

// What comes anew by itself waits while a finger is down: a button that is replaced between down and up is never pressed.
const PRESS = 1000;
let pressedAt = null;
let missed = false;
document.addEventListener("pointerdown", () => { pressedAt = performance.now(); }, true);
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => setTimeout(() => {
    pressedAt = null;
    if (missed) poll();
    missed = false;
  }), true);
}
document.addEventListener("htmx:beforeSwap", ({ target, detail }) => {
  if (pressedAt === null || performance.now() - pressedAt > PRESS || detail.requestConfig.elt !== target) return;
  detail.shouldSwap = false;
  missed = true;
});

if (sign && document.body.hasAttribute("sse-connect")) {
  sign.hidden = false;
  document.body.addEventListener("htmx:sseOpen", (event) => {
    event.detail.source?.addEventListener("heartbeat", heard);
    event.detail.source?.addEventListener("away", lost); // the house is there, but hears nothing of its other processes
    heard();
  });
  document.body.addEventListener("htmx:sseMessage", heard);
  document.body.addEventListener("htmx:sseError", lost);
  window.addEventListener("offline", lost);
  setInterval(() => {
    if (serverNow() - heardAt > SILENCE) lost();
  }, 1000);
}
