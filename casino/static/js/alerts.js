// Says with a sound or by shaking what the page shows by itself, where somebody has chosen it on this device: a seat that is
// called (data-alert="called"), the last two minutes of a down, an approval that is asked for, a box that is due. It looks at the
// marks of the pieces that have come, and asks the house for nothing. Nothing is chosen at first. A browser lets a page sound or
// shake only after somebody has pressed something on it: before that, it is shown alone.

import { serverNow } from "./clock.js";
import { note } from "./dealer/notices.js";
import { t } from "./language.js";
import { openedBy } from "./person.js";

const SAYS = {
  called: t("A seat is called."),
  boundary: t("Two minutes to the end of a down."),
  approval: t("An approval is asked for."),
  box: t("A box is due."),
};
// Hertz, one tone after the other.
const TONES = { called: [660, 880], boundary: [520], approval: [880, 880, 880], box: [440, 330] };
const TONE = 0.18; // seconds
const NEAR = 120_000;
const HEARD = "alerts-heard"; // in this tab: what was there already
const MOST = 300;

// Each person chooses for each device.
const place = `alerts-${openedBy()}`;
const read = (store, name, none) => JSON.parse(store.getItem(name) ?? none);
const chosen = () => read(localStorage, place, "{}");

let audio = null;
function sound(kind) {
  audio ??= new AudioContext();
  audio.resume();
  TONES[kind].forEach((hertz, which) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + which * TONE * 1.4;
    tone.frequency.value = hertz;
    volume.gain.setValueAtTime(0.4, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + TONE);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + TONE);
  });
}

function say(kind, choice) {
  const may = navigator.userActivation?.hasBeenActive ?? false;
  if (may && choice.sound) sound(kind);
  if (may && choice.shake) navigator.vibrate?.(TONES[kind].flatMap(() => [200, 100]));
  note(may ? SAYS[kind] : `${SAYS[kind]} ${t("Press anywhere once, and this page may sound.")}`, "warn");
}

/** What is to be said by the page as it stands: kinds by what they are about. */
function marks() {
  const found = new Map();
  for (const { dataset } of document.querySelectorAll("[data-alert]")) found.set(dataset.alertId, dataset.alert);
  for (const { dataset } of document.querySelectorAll(".clock[data-near-seconds][data-ends-at]")) {
    const left = Date.parse(dataset.endsAt) - serverNow();
    if (left > 0 && left <= NEAR) found.set(`down-${dataset.endsAt}`, "boundary");
  }
  return found;
}

function look() {
  const choice = chosen();
  if (!choice.sound && !choice.shake) return;
  const first = sessionStorage.getItem(HEARD) === null;
  const heard = new Set(read(sessionStorage, HEARD, "[]"));
  const found = [...marks()].filter(([about]) => !heard.has(about));
  if (!first && !found.length) return;
  sessionStorage.setItem(HEARD, JSON.stringify([...heard, ...found.map(([about]) => about)].slice(-MOST)));
  const kind = found.map(([, one]) => one).find((one) => choice[one]);
  if (kind && !first) say(kind, choice);
}

const form = document.querySelector("[data-alerts]");
if (form) {
  const choice = chosen();
  for (const box of form.elements) if (box.type === "checkbox") box.checked = choice[box.name] ?? !["sound", "shake"].includes(box.name);
  form.elements.shake.closest("label").hidden = !navigator.vibrate;
  form.hidden = false;
  const boxes = () => [...form.elements].filter((box) => box.type === "checkbox");
  form.addEventListener("change", () => {
    localStorage.setItem(place, JSON.stringify(Object.fromEntries(boxes().map((box) => [box.name, box.checked]))));
  });
  form.querySelector("[data-try]").addEventListener("click", () => say("called", chosen()));
}

look();
setInterval(look, 1000);
