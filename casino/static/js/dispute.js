// The dispute page: the card pad beside the text fields. The fields are the entry, and the server answers every change of
// them; without this script the page works by its form alone. No rule of the game is here.

import { aim, makeEntry, place, placeOf, readTyped, step, takeLast } from "./dealer/entry.js";
import { h, icon } from "./dealer/dom.js";
import { note } from "./dealer/notices.js";
import { makePad } from "./dealer/pad.js";
import { sayWhere } from "./dealer/typing.js";
import { t } from "./language.js";

const form = document.getElementById("dispute");
const padPlace = document.getElementById("pad-place");
const fields = [...form.querySelectorAll("[data-row]")];
const places = [...new Set(fields.map((field) => field.dataset.place))];
const fieldOf = (at, row) => fields.find((field) => field.dataset.place === places[at] && field.dataset.row === row);
const seatOf = (hand) => Number(form.elements[`seat${hand}`].value);

let entry = null;
const pad = makePad({ lay, takeLast: takeBack, next, help: () => document.getElementById("help").showModal() });
const close = h("button", { class: "button button--icon", type: "button", "aria-label": t("Close the pad"), on: { click: hide } }, icon("cross"));
pad.element.querySelector(".pad-tools").append(close);
padPlace.append(pad.element);

/** The entry as the fields have it, aimed at the field given. */
function refresh(field = null) {
  const hands = places.map((hand, at) => ({ seat: seatOf(hand), position: at + 1, player: t("Seat {seat}", { seat: seatOf(hand) }) }));
  const draft = places.map((hand, at) => ({
    position: at + 1,
    ...Object.fromEntries(fields.filter((one) => one.dataset.place === hand).map((one) => [one.dataset.row, readTyped(one.value).cards.join(" ")])),
  }));
  const aimed = entry && { hand: entry.hand, segment: entry.segment };
  entry = makeEntry({ hands }, draft);
  if (field) aimAt(field);
  else if (aimed) keepAim(aimed);
  show();
}

function aimAt(field) {
  const at = places.indexOf(field.dataset.place);
  if (field.dataset.row === "dealt") entry.hands[at].unset = true;
  aim(entry, at, field.dataset.row);
}

function keepAim({ hand, segment }) {
  aimAt(fieldOf(hand, segment) ?? fieldOf(hand, "front"));
}

function show() {
  pad.update(entry);
  const aimed = fieldOf(entry.hand, entry.segment);
  for (const field of fields) field.toggleAttribute("data-aimed", field === aimed && !padPlace.hidden);
}

/** Tell the page that a field has changed, as if somebody had typed. */
function changed(field) {
  field.closest("details")?.setAttribute("open", "");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.scrollIntoView({ block: "nearest" });
}

function lay(card) {
  if (!place(entry, card)) {
    sayWhere(entry, card);
    return;
  }
  const laid = placeOf(entry, card);
  const field = fieldOf(laid.hand, laid.segment);
  const typed = readTyped(field.value);
  field.value = typed.rest || typed.wrong ? `${field.value.trim()} ${card}` : [...typed.cards, card].join(" ");
  const { hand, segment } = entry;
  changed(field);
  keepAim({ hand, segment });
  show();
  fieldOf(hand, segment).scrollIntoView({ block: "nearest" });
}

function takeBack() {
  const before = { hand: entry.hand, segment: entry.segment };
  const card = takeLast(entry);
  if (!card) return;
  const field = fieldOf(entry.hand, entry.segment) ?? fieldOf(before.hand, before.segment);
  field.value = readTyped(field.value).cards.filter((one) => one !== card).join(" ");
  changed(field);
}

function next() {
  step(entry, 1);
  show();
  fieldOf(entry.hand, entry.segment).scrollIntoView({ block: "nearest" });
}

function open(field) {
  padPlace.hidden = false;
  refresh(field);
  field.scrollIntoView({ block: "nearest" });
}

function hide() {
  padPlace.hidden = true;
  show();
}

// A finger opens the pad and not the keyboard of the tablet; whoever has keys types.
if (window.matchMedia("(pointer: coarse)").matches) for (const field of fields) field.inputMode = "none";

document.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-row]")) open(event.target);
  else if (!event.target.closest("#pad-place, dialog")) hide();
});
form.addEventListener("input", (event) => {
  if (event.target.name === "game") form.requestSubmit(form.querySelector(".dispute-choose button"));
  else refresh(event.target.matches("[data-row]") ? event.target : null);
});
document.body.addEventListener("htmx:sendError", () => note(t("The house does not answer. What you entered stays here."), "warn"));

form.classList.add("dispute-form--live");
refresh();
