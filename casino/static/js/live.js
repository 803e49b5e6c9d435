// Says at once when the page no longer hears from the house, and has it asked by itself meanwhile: `live-poll` on the body.

import { hourAndMinute, madeAt, serverNow } from "./clock.js";
import { hear, owe } from "./pieces.js";

const SILENCE = 25_000; // the house says something every ten seconds
const POLL = 15_000;

const sign = document.getElementById("live");
let heardAt = madeAt;
let polling = null;

/** Whether the page hears from the house just now. */
export function isLive() {
  return sign?.dataset.state === "live";
}

function heard() {
  heardAt = serverNow();
  if (isLive()) return;
  sign.dataset.state = "live";
  clearInterval(polling);
  polling = null;
}

function lost({ type, data } = {}) {
  if (type === "away") sign.title = data === "silent" ? "" : data;
  if (sign.dataset.state === "away") return;
  sign.dataset.state = "away";
  const time = sign.querySelector("time");
  time.textContent = hourAndMinute(heardAt);
  time.dateTime = new Date(heardAt).toISOString();
  polling ??= setInterval(owe, POLL);
}

if (sign && document.body.hasAttribute("sse-connect")) {
  sign.hidden = false;
  document.body.addEventListener("htmx:sseOpen", ({ detail: { source } }) => {
    hear(source);
    for (const word of ["heartbeat", "piece", "behind"]) source.addEventListener(word, heard);
    source.addEventListener("away", lost); // the house is there, but hears nothing of its other processes
    heard();
  });
  document.body.addEventListener("htmx:sseMessage", heard);
  document.body.addEventListener("htmx:sseError", lost);
  document.body.addEventListener("htmx:sseClose", lost); // whoever reads this may hear no more
  window.addEventListener("offline", lost);
  setInterval(() => {
    if (serverNow() - heardAt > SILENCE) lost();
  }, 1000);
}
