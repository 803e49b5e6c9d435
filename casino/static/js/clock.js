// The server's time on this screen, and every clock that counts down to a time the server said. Decides nothing.

import { t } from "./language.js";

const root = document.documentElement;
const sent = Date.parse(root.dataset.now || "");
/** Whether the tablet shows the page as it was kept earlier (dealer/keeper.js). */
export const isFromBefore = "kept" in root.dataset;
let ahead = Number.isNaN(sent) ? 0 : sent - (isFromBefore ? Number(root.dataset.kept) : Date.now());

/** When the house made this page, in milliseconds since 1970 by its clock. */
export const madeAt = Number.isNaN(sent) ? Date.now() : sent;

/** Milliseconds since 1970 by the server's clock. */
export function serverNow() {
  return Date.now() + ahead;
}

/** Learn the server's time again from an ISO text that has just arrived. */
export function heardTime(iso) {
  const time = Date.parse(iso || "");
  if (!Number.isNaN(time)) ahead = time - Date.now();
}

/** Hours and minutes, in the house's zone, of a time by the server's clock. */
export function hourAndMinute(time) {
  return new Intl.DateTimeFormat("en-GB", {
    hour: "2-digit", minute: "2-digit", timeZone: root.dataset.zone || undefined,
  }).format(new Date(time));
}

/** `12:05`, or `1:02:05` from an hour on; never below zero. */
export function minutesAndSeconds(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function tick() {
  for (const clock of document.querySelectorAll("[data-ends-at]")) {
    const left = Date.parse(clock.dataset.endsAt) - serverNow();
    const face = clock.querySelector("[data-left]") || clock;
    const text = minutesAndSeconds(left);
    if (face.textContent !== text) face.textContent = text;
    clock.toggleAttribute("data-near", left < 1000 * Number(clock.dataset.nearSeconds || 300));
    clock.toggleAttribute("data-over", left <= 0);
  }
  for (const place of document.querySelectorAll("[data-since]")) {
    const text = t("{minutes} min", { minutes: Math.max(0, Math.floor((serverNow() - Date.parse(place.dataset.since)) / 60000)) });
    if (place.textContent !== text) place.textContent = text;
  }
}

tick();
setInterval(tick, 500);
document.addEventListener("htmx:afterSwap", tick);
