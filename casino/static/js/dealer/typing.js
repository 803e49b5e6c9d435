// Typed cards and keys that move about; the same for a running round and for a correction.

import { cardName, placeName } from "./words.js";
import { aim, filledOf, place, placeOf, readTyped, step } from "./entry.js";
import { t } from "../language.js";
import { note } from "./notices.js";

/** Say where a card lies that somebody wants to lay again. */
export function sayWhere(entry, card) {
  const there = placeOf(entry, card);
  if (there) note(t("The {card} lies in {place}. Tap it there to take it back.", { card: cardName(card), place: placeName(entry.hands[there.hand], there.segment) }), "warn");
  else note(t("There is no room for the {card}.", { card: cardName(card) }), "warn");
}

/**
 * Lay what stands in the field of a hand, as far as it is whole cards. True if a card was laid. While two cards change
 * places, `pick(card)` takes each instead.
 */
export function layTyped(entry, at, field, pick) {
  const typed = readTyped(field.value);
  let laid = false;
  if (typed.cards.length && entry.hand !== at) aim(entry, at);
  for (const card of typed.cards) {
    if (entry.swap) pick(card);
    else if (place(entry, card)) laid = true;
    else if (!filledOf(entry)?.cards.includes(card)) sayWhere(entry, card); // a card that was left over is only confirmed
  }
  field.value = typed.rest;
  field.toggleAttribute("data-wrong", Boolean(typed.wrong));
  if (typed.wrong && !moved(entry, typed)) note(t("\u201c{typed}\u201d is no card: type a rank (2 to 10, J, Q, K, A) and a suit (s, h, d, c).", { typed: typed.wrong }), "warn");
  return laid || Boolean(typed.wrong);
}

/** Letters that are neither rank nor suit move: f, m, b to a segment, n and p to the next and previous hand; x swaps. */
function moved(entry, typed) {
  if (typed.cards.length || typed.rest) return false;
  const letter = typed.wrong.toLowerCase();
  const segment = { f: "front", m: "middle", b: "back" }[letter];
  if (segment) aim(entry, entry.hand, segment);
  else if (letter === "n") step(entry, 1);
  else if (letter === "p") step(entry, -1);
  else if (letter === "x") entry.swap = entry.swap ? null : { card: null };
  else return false;
  return true;
}

/**
 * Send keys typed anywhere on the page to the field of the aimed hand. `desk` has: field(), idle() (nothing to type
 * into now), enter(), help(), acts. Gives a function that stops listening.
 */
export function listenForKeys(desk) {
  const heard = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (document.querySelector("dialog[open]") || desk.idle()) return;
    const inField = event.target.closest("input:not([type=checkbox]), textarea, select");
    if (inField && !inField.matches(".deal-type")) return;
    if (event.key === "?") {
      event.preventDefault();
      desk.help();
    } else if (event.key === "Enter" && (inField || !event.target.closest("button, a, summary, label, input"))) {
      event.preventDefault();
      if (!event.repeat) desk.enter();
    } else if (event.key === "Escape" && desk.entry.swap) desk.acts.swap(false);
    else if (event.key === "Delete" && inField && !inField.value) {
      event.preventDefault();
      desk.acts.clear();
    } else if (!inField && (/^[a-z0-9]$/i.test(event.key) || (event.key === "Backspace" && event.target === document.body))) {
      desk.field().focus({ preventScroll: true }); // the key itself then goes to the field
    }
  };
  document.addEventListener("keydown", heard);
  return () => document.removeEventListener("keydown", heard);
}
