// The pad of 52 cards. A card that lies somewhere stays on the pad, greyed, and says where it lies.

import { clearedOf } from "./declarations.js";
import { h, icon, set, suitSign } from "./dom.js";
import { countOf, isFull, leftOver, placeOf, SIZES, takesCards } from "./entry.js";
import { t, tn } from "../language.js";
import { cardName, face, handName, placeName, RANKS, segmentName, shortHand, SUITS } from "./words.js";

/**
 * Build the pad. `acts` has: lay(card), takeLast(), next(), help(), and where a round is entered also swap(), clear(),
 * fillLast(). Gives {element, update(entry)}.
 */
export function makePad(acts) {
  const keys = new Map();
  const rows = SUITS.map((suit) =>
    h("div", { class: `pad-suit pad-suit--${suit}` },
      RANKS.map((rank) => keyOf(rank + suit, keys, acts))));
  const cards = h("div", { class: "pad-cards", role: "group", "aria-label": t("Cards"), on: { keydown: (event) => walk(event, keys) } }, rows);
  const aim = h("p", { class: "pad-aim", "aria-live": "polite" });
  const undo = h("button", { class: "button pad-undo", type: "button", "aria-label": t("Take back the last card"), on: { click: acts.takeLast } }, icon("undo"), h("span", {}, t("Take back")));
  const whole = acts.swap ? makeWhole(acts) : null;
  const next = h("button", { class: "button pad-next", type: "button", "aria-label": t("Next hand"), on: { click: acts.next } }, h("span", {}, t("Next hand")), icon("next"));
  const help = h("button", { class: "button button--icon pad-help", type: "button", "aria-label": t("Keys and help"), on: { click: acts.help } }, icon("help"));
  const element = h("section", { class: "pad", "aria-label": t("Card pad") }, h("div", { class: "pad-tools" }, aim, undo, whole?.buttons, next, help), whole?.rest, cards);
  keys.get("As").tabIndex = 0;
  return {
    element,
    update(entry) {
      for (const [card, key] of keys) updateKey(key, card, entry);
      const hand = entry.hands[entry.hand];
      const text = entry.swap ? swapWords(entry.swap) : `${handName(hand)}: ${aimWords(entry, hand)}`;
      if (aim.textContent !== text) aim.textContent = text;
      undo.disabled = countOf(hand) === 0;
      next.hidden = entry.hands.length < 2;
      set(element, "data-swapping", entry.swap ? "" : null);
      whole?.update(entry);
    },
  };
}

/** What is done to more than one card: two change places, a hand is cleared, the last cards are laid together. */
function makeWhole(acts) {
  const swap = h("button", { class: "button pad-swap", type: "button", "aria-label": t("Swap two cards"), on: { click: () => acts.swap() } }, icon("swap"), h("span", {}, t("Swap")));
  const word = h("span", {});
  const clear = h("button", { class: "button pad-clear", type: "button", on: { click: () => acts.clear() } }, icon("cross"), word);
  const rest = h("button", { class: "button button--primary button--wide pad-rest", type: "button", hidden: true, on: { click: () => acts.fillLast() } });
  return {
    rest,
    buttons: [swap, clear],
    update(entry) {
      const hand = entry.hands[entry.hand];
      const back = clearedOf(entry, hand);
      const left = leftOver(entry);
      set(swap, "aria-pressed", String(Boolean(entry.swap)));
      swap.disabled = !entry.swap && !entry.hands.some(countOf);
      word.textContent = back ? t("Put back") : t("Clear hand");
      set(clear, "aria-label", back ? t("Put back the cards of {hand}", { hand: handName(hand) }) : t("Clear the cards of {hand}", { hand: handName(hand) }));
      clear.disabled = !back && !countOf(hand);
      rest.hidden = !left;
      if (left) rest.textContent = restWords(entry, left);
    },
  };
}

const swapWords = ({ card }) => (card ? t("Swap the {card} with which card?", { card: cardName(card) }) : t("Swap: tap the first card"));

/** `Lay the 5 cards that are left in Ann’s back` */
const restWords = (entry, { hand, row, cards }) =>
  tn("Lay the card that is left in {place}", "Lay the {count} cards that are left in {place}", cards.length, { place: placeName(entry.hands[hand], row) });

/** Where the next card goes, or why none does. */
function aimWords(entry, hand) {
  if (hand.unset && isFull(hand) && !hand.declares) return t("all 13 cards, now what is declared");
  if (isFull(hand)) return t("all 13 cards");
  if (!takesCards(hand)) return t("surrenders, no cards needed");
  return t("{segment}, card {number} of {size}", { segment: segmentName(entry.segment).toLowerCase(), number: Math.min(hand[entry.segment].length + 1, SIZES[entry.segment]), size: SIZES[entry.segment] });
}

function keyOf(card, keys, acts) {
  const key = h("button", { class: `key key--${card[1]}`, type: "button", tabindex: "-1", "data-card": card, on: { click: () => acts.lay(card) } },
    h("span", { class: "key-rank", "aria-hidden": "true" }, face(card)), suitSign(card[1]), h("span", { class: "key-where", "aria-hidden": "true" }));
  keys.set(card, key);
  return key;
}

function updateKey(key, card, entry) {
  const place = placeOf(entry, card);
  const name = cardName(card);
  if (!place) {
    set(key, "aria-disabled", null);
    set(key, "aria-label", name);
    key.lastChild.textContent = "";
    return;
  }
  const hand = entry.hands[place.hand];
  set(key, "aria-disabled", entry.swap ? null : "true"); // either of two that change places
  set(key, "aria-label", t("{card}, lies in {place}", { card: name, place: placeName(hand, place.segment) }));
  key.lastChild.textContent = hand.which ? `${hand.seat}, ${shortHand(hand)}` : t("seat {seat}", { seat: hand.seat });
}

/** Arrow keys walk the pad; it is one stop for the Tab key. */
function walk(event, keys) {
  const card = event.target.dataset?.card;
  const [across, along] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key] ?? [];
  if (!card || across === undefined) return;
  event.preventDefault();
  const rank = RANKS[(RANKS.indexOf(card[0]) + across + 13) % 13];
  const suit = SUITS[(SUITS.indexOf(card[1]) + along + 4) % 4];
  event.target.tabIndex = -1;
  const to = keys.get(rank + suit);
  to.tabIndex = 0;
  to.focus();
}
