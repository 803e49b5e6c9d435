// What a player says of a hand before the showdown, and how it lies: surrender (R27), announced bonuses (R13), a declared
// clean sweep (R22), unset (R25), mis-set (R7). Pure, like entry.js; whether it is so, the house says.

import { aim, aimOn, cardsOf, countOf, isFull, layAll, placeOf, SEGMENTS } from "./entry.js";

/**
 * The player surrenders, or does not. Such a hand needs no cards, so a half-laid one goes back to the pad and comes
 * again if it was a slip; nothing else is said of it.
 */
export function surrender(entry, at, on) {
  const hand = entry.hands[at];
  hand.surrenders = on;
  if (on) {
    const cards = cardsOf(hand);
    Object.assign(hand, { declares: null, misset: false, unset: false, royalties: [], withCards: cards.length === 13 });
    hand.aside = hand.withCards ? [] : cards;
    layAll(hand, hand.withCards ? cards : []);
    if (entry.hand === at) aimOn(entry);
    return;
  }
  const again = hand.aside ?? [];
  hand.aside = [];
  if (!cardsOf(hand).length && again.every((card) => !placeOf(entry, card))) layAll(hand, again);
  aim(entry, at);
}

/** What was cleared from a hand and can be put back: none of it lies anywhere. */
export const clearedOf = (entry, hand) =>
  hand.cleared?.length && !countOf(hand) && hand.cleared.every(([, card]) => !placeOf(entry, card)) ? hand.cleared : null;

/** Take up all cards of a hand; or put them back where they lay if that was a slip. */
export function clear(entry, at) {
  const hand = entry.hands[at];
  const back = clearedOf(entry, hand);
  const rows = hand.unset ? ["dealt"] : SEGMENTS;
  if (back) for (const [row, card] of back) hand[rows.includes(row) ? row : rows[0]].push(card);
  else {
    hand.cleared = rows.flatMap((row) => hand[row].map((card) => [row, card]));
    layAll(hand, []);
  }
  aim(entry, at);
}

/** The dealer wants to enter the cards of a hand that is surrendered. */
export function showCards(entry, at) {
  entry.hands[at].withCards = true;
  aim(entry, at);
}

/** The player announces the bonus of a segment, or does not. */
export function announce(entry, at, segment, on) {
  const hand = entry.hands[at];
  hand.royalties = SEGMENTS.filter((one) => (one === segment ? on : hand.royalties.includes(one)));
}

/** The player declares a clean sweep, or none (null). */
export function declare(entry, at, kind) {
  entry.hands[at].declares = kind;
}

/** The hand lies unset: its 13 cards in one row, nothing compared; or it was set after all. */
export function layUnset(entry, at, on) {
  const hand = entry.hands[at];
  const cards = cardsOf(hand);
  Object.assign(hand, { unset: on, misset: false, royalties: on ? [] : hand.royalties });
  layAll(hand, cards);
  if (entry.hand === at || !isFull(hand)) aim(entry, at);
}

/** The hand really lay wrong; such a hand declares nothing. */
export function misset(entry, at, on) {
  const hand = entry.hands[at];
  hand.misset = on;
  if (on) hand.declares = null;
}
