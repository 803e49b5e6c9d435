// The pieces of the page that the house sends by itself. The newest of each is kept here and comes into its place as soon as
// nothing is in the way. What an answer brings stays only where it was asked for after the newest piece had been made: else
// that piece takes its place again. So no piece is lost, and none is followed by an older one.

import { hold } from "./menus.js";

const PRESS = 1000;
const SKEW = 0.05; // seconds by which the clocks of two web servers may differ
const newest = new Map(); // by name: { html, made, there }, whether it is in its place
const asked = new Map(); // by name: when the answer was asked for that brought what is there now

const find = (name) => document.querySelector(`[data-piece="${name}"]`);

// --- what is in the way -------------------------------------------------------------------------------------------

// What is replaced between down and up is never pressed; and a form that is sent must stay until its answer is there.
let pressedAt = null;
function press(event) {
  if (!event.repeat && (event.type !== "keydown" || event.key === " ")) pressedAt = performance.now();
}
function release() {
  setTimeout(() => {
    pressedAt = null;
    flush();
  });
}
for (const down of ["pointerdown", "keydown"]) document.addEventListener(down, press, true);
for (const up of ["pointerup", "pointercancel", "keyup"]) document.addEventListener(up, release, true);
/** Whether a finger or a key is down right now. */
export const isPressed = () => pressedAt !== null && performance.now() - pressedAt <= PRESS;
const isInUse = (place) => isPressed() || place.querySelector("form[data-sent]") !== null;

// --- pieces -------------------------------------------------------------------------------------------------------

function put(name, piece) {
  if (piece.made + SKEW <= (asked.get(name) ?? 0)) {
    newest.delete(name); // what is there is newer
    return;
  }
  const place = find(name);
  if (!place || isInUse(place)) return;
  piece.there = true;
  hold(place);
  window.htmx.swap(place, piece.html, { swapStyle: "outerHTML" });
}

function take({ data, lastEventId }) {
  const end = data.indexOf("\n");
  const name = data.slice(0, end);
  const html = data.slice(end + 1);
  const piece = { html, made: Number(lastEventId), there: newest.get(name)?.there && newest.get(name).html === html };
  newest.set(name, piece);
  if (piece.there) return;
  if (find(name)) put(name, piece);
  else owe(); // a table that the board does not have yet
}

/** Put everything in its place that waits, and fetch what is owed. */
function flush() {
  for (const [name, piece] of newest) if (!piece.there) put(name, piece);
  if (!owed || fetching || isInUse(document)) return;
  owed = false;
  document.body.dispatchEvent(new CustomEvent("live-poll"));
}

// --- answers ------------------------------------------------------------------------------------------------------

let owed = false; // everything has to be fetched
let failed = false; // a fetch has failed
let fetching = 0; // pieces that are being fetched

/** Have everything fetched, as soon as nothing is in the way. */
export function owe() {
  owed = true;
  queueMicrotask(flush);
}

/** Whether a piece of the page asks for itself. */
const isFetch = ({ requestConfig }, target) => requestConfig.verb === "get" && requestConfig.elt === target;

document.addEventListener("htmx:beforeSend", ({ target, detail }) => {
  if (!isFetch(detail, target)) return;
  fetching += 1;
  detail.xhr.addEventListener("loadend", () => {
    fetching -= 1;
    failed ||= detail.xhr.status === 0 || detail.xhr.status >= 500;
    queueMicrotask(flush);
  });
});
document.addEventListener("htmx:beforeSwap", ({ target, detail }) => {
  if (!isFetch(detail, target)) return;
  if (detail.isError) detail.shouldSwap = false; // rather an old piece than none
  else if (isInUse(target)) {
    detail.shouldSwap = false;
    owe();
  }
});
document.addEventListener("htmx:afterSwap", ({ target, detail }) => {
  const at = Number(detail.xhr?.getResponseHeader("X-Asked-At"));
  if (!at) return;
  for (const place of [target, ...target.querySelectorAll("[data-piece]")]) {
    const name = place.dataset?.piece;
    if (!name) continue;
    asked.set(name, at);
    if (newest.has(name)) newest.get(name).there = false;
  }
  queueMicrotask(flush);
});
document.addEventListener("htmx:afterRequest", () => queueMicrotask(flush));

/** Hear what a stream brings. */
export function hear(source) {
  source.addEventListener("piece", take);
  source.addEventListener("behind", owe);
  source.addEventListener("heartbeat", () => {
    if (failed) owe();
    failed = false;
  });
}
setInterval(flush, PRESS);
