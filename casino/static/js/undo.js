// The button that undoes what was done just now: its seconds are counted down to what the server said, then it goes.
// The server decides whether it is still in time.

import { serverNow } from "./clock.js";

function tick() {
  for (const form of document.querySelectorAll("[data-undo]")) {
    const seconds = Math.ceil((Date.parse(form.dataset.undo) - serverNow()) / 1000);
    if (seconds <= 0) form.remove();
    else form.querySelector("[data-seconds]").textContent = seconds;
  }
}

setInterval(tick, 250);
document.addEventListener("htmx:afterSwap", tick);
