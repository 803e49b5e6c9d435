// Cards, categories, reasons, money and points as people read them. The words come with the page (data-words).

import { t, tn } from "../language.js";
import { dollars } from "../money.js";

export { dollars };

const words = JSON.parse(document.getElementById("dealer")?.dataset.words || "{}");

/** The most characters of a reason. */
export const REASON_LENGTH = words.reason_length;
export const RANKS = ["A", "K", "Q", "J", "T", "9", "8", "7", "6", "5", "4", "3", "2"];
export const SUITS = ["s", "h", "d", "c"];

/** The rank as cards print it: 10, never T. */
export const face = (card) => (card[0] === "T" ? "10" : card[0]);
/** `queen of spades` */
export const cardName = (card) => t("{rank} of {suit}s", { rank: words.ranks[card[0]], suit: words.suits[card[1]] });
// What runs from right to left, or says that what follows does.
const TURNING = /[\u0590-\u08ff\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
/** A name as it stands in a sentence: one written from right to left turns nothing around it. */
export const named = (name) => (TURNING.test(name) ? `\u2068${name}\u2069` : name);
/** `first hand` or `second hand` of two hands each, as people read it. */
export const whichName = (hand) => ({ "first hand": t("first hand"), "second hand": t("second hand") })[hand.which] ?? "";
/** `Ann`, or of two hands each `Ann, first hand` */
export const handName = (hand) => (hand.which ? `${named(hand.player)}, ${whichName(hand)}` : named(hand.player));
/** `1st` or `2nd` of two hands each, where there is little room. */
export const shortHand = (hand) => ({ "first hand": t("1st"), "second hand": t("2nd") })[hand.which] ?? "";
/** `Ann’s front`, or `the front of Ann’s first hand`; of a hand that lies unset `Ann’s unset hand`. */
export function placeName(hand, segment) {
  const of = { player: named(hand.player), hand: whichName(hand), segment: segmentName(segment).toLowerCase() };
  if (segment === "dealt") return hand.which ? t("{player}\u2019s {hand}", of) : t("{player}\u2019s unset hand", of);
  return hand.which ? t("the {segment} of {player}\u2019s {hand}", of) : t("{player}\u2019s {segment}", of);
}
/** `Front`; the middle of a game that plays it low: `Middle, low` (R6). */
export const segmentName = (segment, sheet = null) => words.segments?.[segment === "middle" && sheet?.middle === "low" ? "low_middle" : segment] ?? segment;
/** `Two pairs`; empty where nothing is known yet. */
export const categoryName = (category) => (category ? words.categories[category] ?? category : "");
/** `Six pairs` */
export const sweepName = (kind) => words.sweeps[kind] ?? kind;
/** What a line of a payment is for: {words, rule}. */
export const reasonOf = (reason) => words.reasons[reason] ?? { words: reason, rule: "" };

/**
 * Whole cents of an amount such as "-45.00".
 * @param {string} text
 * @returns {number}
 */
export function cents(text) {
  const [whole, part = "00"] = String(text).replace("-", "").split(".");
  const size = Number(whole) * 100 + Number(part);
  return String(text).startsWith("-") ? -size : size;
}

/**
 * Cents of what somebody typed (`50`, `$7.50`), or null where that is no amount above zero.
 * @param {string} text
 * @returns {number|null}
 */
export function readAmount(text) {
  const match = /^\$?\s*(\d{1,6})(?:\.(\d{2}))?$/.exec(text.trim());
  return match ? Number(match[1]) * 100 + Number(match[2] ?? 0) || null : null;
}

/** `50.00`, as the house reads amounts. */
export const amountText = (amount) => `${Math.floor(amount / 100)}.${String(amount % 100).padStart(2, "0")}`;

/** `+$45.00`, `−$45.00`, `$0.00` */
export const signedDollars = (amount) => (amount > 0 ? `+${dollars(amount)}` : dollars(amount));

/** How many points of the limit: `40`, `9.5`; at most two places, cut. */
export function pointsOf(amount, limit) {
  const hundredths = Math.floor((Math.abs(amount) * 100) / limit);
  return `${amount < 0 ? "\u2212" : ""}${String(hundredths / 100)}`;
}

const COUNTED = {
  card: (number) => tn("{count} card", "{count} cards", number),
  hand: (number) => tn("{count} hand", "{count} hands", number),
  point: (number) => tn("{count} point", "{count} points", number),
  round: (number) => tn("{count} round", "{count} rounds", number),
};
/** `1 point`, `9 points`: of the words of COUNTED. */
export const counted = (number, word) => COUNTED[word](number);

/** The same words as the beginning of a sentence. */
export const sentence = (text) => text[0].toUpperCase() + text.slice(1);
