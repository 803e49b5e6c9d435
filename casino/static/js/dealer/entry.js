// The entry of a round: which card lies where in which hand, and where the next one goes. What players say of their
// hands is in declarations.js.
// Pure: no page, no network, no rule of the game beyond 3, 5 and 5 cards and each card once (R7).

export const SEGMENTS = ["front", "middle", "back"];
/** How many cards lie where; `dealt` is the one row of a hand that came unset (R25). */
export const SIZES = { front: 3, middle: 5, back: 5, dealt: 13 };
const ROWS = Object.keys(SIZES);
const CARD = /^[2-9TJQKA][cdhs]$/;
const DECK = [..."AKQJT98765432"].flatMap((rank) => [..."shdc"].map((suit) => rank + suit));
const SIGNS = { "\u2660": "s", "\u2665": "h", "\u2666": "d", "\u2663": "c", "\u2664": "s", "\u2661": "h", "\u2662": "d", "\u2667": "c" };

/**
 * A hand in the wire's form: a draft is a list of them. Cards are text such as "Qs Qh 2c".
 * @typedef {object} WireHand
 * @property {number} seat
 * @property {number} [position] its place in the order of R30, from 0
 * @property {string} [front]
 * @property {string} [middle]
 * @property {string} [back]
 * @property {string} [dealt] all cards in one row, where the hand came unset
 * @property {string|null} [declares] a clean sweep
 * @property {boolean} [misset]
 * @property {boolean} [surrenders]
 * @property {string[]} [royalties] the segments whose bonus was announced
 */

/**
 * A hand as it is entered: each row is a list of cards such as "Qs".
 * @typedef {object} Hand
 * @property {number} seat
 * @property {number} position
 * @property {string} player
 * @property {string} which `first hand`, `second hand` or empty
 * @property {string[]} front
 * @property {string[]} middle
 * @property {string[]} back
 * @property {string[]} dealt
 * @property {boolean} unset
 * @property {string|null} declares
 * @property {boolean} misset
 * @property {boolean} surrenders
 * @property {boolean} withCards a hand that surrenders and shows its cards
 * @property {string[]} royalties
 */

/**
 * @typedef {object} Entry
 * @property {Hand[]} hands
 * @property {boolean} foulPlays
 * @property {number} hand the index of the hand that gets the next card
 * @property {string} segment and where in it
 * @property {{hand: number, row: string, cards: string[]}|null} filled
 * @property {{card: string|null}|null} swap
 */

/** `first hand` or `second hand` of a seat with two, empty where it has one; `hands` of one seat stand in order of position. */
export function whichHand(hands, hand) {
  const own = hands.filter((one) => one.seat === hand.seat);
  return own.length > 1 ? ["first hand", "second hand"][own.findIndex((one) => one.position === hand.position)] : "";
}

/** The hands of a round by seat, so that each keeps its place whatever the button does; two of one seat lie side by side. */
export const bySeat = (hands) => [...hands].sort((one, other) => one.seat - other.seat || one.position - other.position);

/**
 * An entry for the hands of a round, filled from a draft in the wire's form.
 * @param {{hands: object[], sheet?: object}} round
 * @param {WireHand[]} draft
 * @returns {Entry}
 */
export function makeEntry(round, draft = []) {
  const entry = {
    hands: round.hands.map((hand) => {
      const laid = draft.find((one) => one.position === hand.position) ?? draft.find((one) => one.seat === hand.seat && !one.position) ?? {};
      const cards = Object.fromEntries(ROWS.map((row) => [row, split(laid[row], SIZES[row])]));
      return {
        seat: hand.seat,
        position: hand.position,
        player: hand.player,
        which: whichHand(round.hands, hand),
        ...cards,
        unset: cards.dealt.length > 0,
        declares: laid.declares || null,
        misset: Boolean(laid.misset),
        surrenders: Boolean(laid.surrenders),
        withCards: ROWS.some((row) => cards[row].length),
        royalties: SEGMENTS.filter((segment) => laid.royalties?.includes(segment)),
      };
    }),
    foulPlays: Boolean(round.sheet?.foul_plays),
    hand: 0,
    segment: "front",
    filled: null, // the cards that were left over and lie where nothing else could
    swap: null, // two cards change places: {card}, the first one once it is chosen
  };
  aim(entry, Math.max(entry.hands.findIndex((hand) => wantsCards(entry, hand)), 0));
  return entry;
}

function split(text, size) {
  return (text ?? "").split(/\s+/).filter((card) => CARD.test(card)).slice(0, size);
}

// --- the wire -------------------------------------------------------------------------------------------------

/**
 * The entry in the wire's form; what is empty or false is left out.
 * @param {Entry} entry
 * @returns {WireHand[]}
 */
export function asDraft(entry) {
  return entry.hands.map((hand) => ({
    seat: hand.seat,
    position: hand.position,
    ...Object.fromEntries(rowsOf(hand).filter((row) => hand[row].length).map((row) => [row, hand[row].join(" ")])),
    ...(hand.declares ? { declares: hand.declares } : {}),
    ...(hand.misset ? { misset: true } : {}),
    ...(hand.surrenders ? { surrenders: true } : {}),
    ...(hand.royalties.length ? { royalties: hand.royalties } : {}),
  }));
}

/** Whether two hands in the wire's form have the same cards in the same places. */
export const sameCards = (one, other) => ROWS.every((row) => plainCards(one[row]) === plainCards(other[row]));

const plainCards = (text) => (text ?? "").split(/\s+/).filter(Boolean).join(" ");

/** How many cards there are in a draft. */
export const cardsIn = (draft) => (draft ?? []).reduce((sum, hand) => sum + ROWS.reduce((laid, row) => laid + split(hand[row], SIZES[row]).length, 0), 0);

/** Whether two drafts say the same, whatever came with them or in what order. */
export function sameDraft(one, other) {
  const plain = (draft) => JSON.stringify([...(draft ?? [])]
    .sort((a, b) => a.seat - b.seat || (a.position ?? 0) - (b.position ?? 0))
    .map((hand) => [
      hand.seat, ...ROWS.map((row) => plainCards(hand[row])), hand.declares || null, Boolean(hand.misset),
      Boolean(hand.surrenders), SEGMENTS.filter((segment) => hand.royalties?.includes(segment)),
    ]));
  return plain(one) === plain(other);
}

// --- what is there --------------------------------------------------------------------------------------------

/** Where the cards of a hand lie: in three segments, or in one row where it lies unset. */
const rowsOf = (hand) => (hand.unset ? ["dealt"] : SEGMENTS);
export const cardsOf = (hand) => rowsOf(hand).flatMap((row) => hand[row]);
export const countOf = (hand) => cardsOf(hand).length;
export const isFull = (hand) => countOf(hand) === 13;

/** Whether nothing more need be entered of a hand (R7, R20, R25, R27). */
function isDone(entry, hand) {
  if (hand.surrenders && !countOf(hand)) return true;
  if (hand.misset && !entry.foulPlays) return true;
  return isFull(hand) && (!hand.unset || Boolean(hand.declares));
}

export const isComplete = (entry) => entry.hands.every((hand) => isDone(entry, hand));
/** Whether there is room for a card: whoever surrenders gets none unless the dealer wants to enter them. */
export const takesCards = (hand) => !isFull(hand) && (!hand.surrenders || hand.withCards);
const wantsCards = (entry, hand) => takesCards(hand) && !isDone(entry, hand);

/** Where a card lies: {hand, segment}, or null. */
export function placeOf(entry, card) {
  for (const [at, hand] of entry.hands.entries()) {
    for (const segment of rowsOf(hand)) if (hand[segment].includes(card)) return { hand: at, segment };
  }
  return null;
}

// --- where the next card goes ---------------------------------------------------------------------------------

/** The next segment of a hand with room, beginning with the one given; null if it is full. */
function openSegment(hand, from = null) {
  const rows = rowsOf(hand);
  const at = Math.max(rows.indexOf(from), 0);
  return [...rows.slice(at), ...rows.slice(0, at)].find((segment) => hand[segment].length < SIZES[segment]) ?? null;
}

/** Fill this hand next, this segment if it is given and the hand has it. */
export function aim(entry, at, segment = null) {
  const hand = entry.hands[at];
  entry.hand = at;
  entry.segment = rowsOf(hand).includes(segment) ? segment : openSegment(hand) ?? rowsOf(hand).at(-1);
}

/** Go some hands on (or back), around the table, past those that get no cards. */
export function step(entry, by) {
  const count = entry.hands.length;
  const around = Array.from({ length: count }, (_, on) => (entry.hand + by * (on + 1) + count * count) % count);
  const at = around.find((one) => takesCards(entry.hands[one]) || isFull(entry.hands[one]));
  if (at !== undefined) aim(entry, at);
}

/** Aim at the next hand that still wants cards, if the one that is aimed at gets none. */
export function aimOn(entry) {
  if (wantsCards(entry, entry.hands[entry.hand])) return;
  const next = nextOpen(entry);
  if (next !== null) aim(entry, next);
}

/** The next hand around the table that still wants cards, or null. */
function nextOpen(entry) {
  const count = entry.hands.length;
  for (let on = 1; on <= count; on += 1) {
    const at = (entry.hand + on) % count;
    if (wantsCards(entry, entry.hands[at])) return at;
  }
  return null;
}

// --- laying and taking ----------------------------------------------------------------------------------------

/** Lay a card where the next one goes; false if it lies somewhere already or there is no room. Then aim on. */
export function place(entry, card) {
  if (!CARD.test(card) || placeOf(entry, card)) return false;
  if (!takesCards(entry.hands[entry.hand])) {
    const next = nextOpen(entry);
    if (next === null) return false;
    aim(entry, next);
  }
  const hand = entry.hands[entry.hand];
  const segment = openSegment(hand, entry.segment);
  hand[segment].push(card);
  entry.segment = openSegment(hand, segment) ?? segment;
  if (isFull(hand)) aimOn(entry);
  return true;
}

/** Take a card up again and aim at its place. */
export function take(entry, card) {
  const lies = placeOf(entry, card);
  if (!lies) return false;
  const hand = entry.hands[lies.hand];
  hand[lies.segment] = hand[lies.segment].filter((one) => one !== card);
  entry.hand = lies.hand;
  entry.segment = lies.segment;
  return true;
}

/** Take up the last card of the aimed hand: of the aimed segment, else of the one before. Gives the card or null. */
export function takeLast(entry, at = entry.hand) {
  const hand = entry.hands[at];
  const filled = filledOf(entry);
  if (filled?.hand === at) {
    filled.cards.forEach((card) => take(entry, card)); // they came together
    return filled.cards[0];
  }
  const rows = rowsOf(hand);
  const from = at === entry.hand ? rows.indexOf(entry.segment) : rows.length - 1;
  const order = [...rows.slice(0, from + 1).reverse(), ...rows.slice(from + 1).reverse()];
  const segment = order.find((one) => hand[one].length);
  if (!segment) return null;
  const card = hand[segment].at(-1);
  take(entry, card);
  return card;
}

/** Put all cards of a hand where they now lie, front first; the hand may have changed between set and unset. */
export function layAll(hand, cards) {
  const left = [...cards];
  for (const row of ROWS) hand[row] = rowsOf(hand).includes(row) ? left.splice(0, SIZES[row]) : [];
}

/** Where two cards lie, each lies where the other did; a card of the pad takes the place of one that lies. */
export function swapCards(entry, one, other) {
  if (one === other || !(placeOf(entry, one) || placeOf(entry, other))) return false;
  const to = { [one]: other, [other]: one };
  for (const hand of entry.hands) for (const row of ROWS) hand[row] = hand[row].map((card) => to[card] ?? card);
  if (!isFull(entry.hands[entry.hand])) aim(entry, entry.hand, entry.segment);
  return true;
}

// --- the cards that are left ----------------------------------------------------------------------------------

/** The only cards left, and the one row that has room, as many places as cards: {hand, row, cards}; else null. */
export function leftOver(entry) {
  const open = entry.hands.flatMap((hand, at) =>
    wantsCards(entry, hand) ? rowsOf(hand).filter((row) => hand[row].length < SIZES[row]).map((row) => ({ hand: at, row })) : []);
  if (open.length !== 1) return null;
  const [{ hand, row }] = open;
  const laid = new Set(entry.hands.flatMap(cardsOf));
  const cards = DECK.filter((card) => !laid.has(card));
  return cards.length === SIZES[row] - entry.hands[hand][row].length ? { hand, row, cards } : null;
}

/** Lay them; false while anything else is possible. */
export function fillLast(entry) {
  const left = leftOver(entry);
  if (!left) return false;
  for (const card of left.cards) place(entry, card);
  entry.filled = left;
  return true;
}

/** What was filled so and still lies so, or null. */
export const filledOf = (entry) =>
  entry.filled?.cards.every((card) => entry.hands[entry.filled.hand][entry.filled.row].includes(card)) ? entry.filled : null;

// --- typed cards ----------------------------------------------------------------------------------------------

/** Read typed cards: whole ones, what is left over (a rank that waits for its suit), and what is no card at all. */
export function readTyped(text) {
  const found = { cards: [], rest: "", wrong: "" };
  let left = text.replace(/[\s,;.]+/g, "").replace(/[\u2660-\u2667]/g, (sign) => SIGNS[sign] ?? sign);
  while (left) {
    const match = /^(10|[2-9tjqka])([cdhs])?/i.exec(left);
    if (!match) {
      if (left === "1") found.rest = "1";
      else found.wrong = left[0];
      return found;
    }
    const rank = match[1] === "10" ? "T" : match[1].toUpperCase();
    if (!match[2]) {
      if (left.length > match[0].length) found.wrong = left[match[0].length];
      else found.rest = match[0];
      return found;
    }
    found.cards.push(rank + match[2].toLowerCase());
    left = left.slice(match[0].length);
  }
  return found;
}
