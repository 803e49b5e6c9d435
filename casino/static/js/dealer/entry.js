// The entry of a round: which card lies in which segment of which hand, and where the next one goes.
// Pure: no page, no network, no rule of the game beyond 3, 5 and 5 cards and each card once (R7).

export const SEGMENTS = ["front", "middle", "back"];
export const SIZES = { front: 3, middle: 5, back: 5 };
const CARD = /^[2-9TJQKA][cdhs]$/;
const SIGNS = { "\u2660": "s", "\u2665": "h", "\u2666": "d", "\u2663": "c", "\u2664": "s", "\u2661": "h", "\u2662": "d", "\u2667": "c" };

/** `first hand` or `second hand` of a seat with two, empty where it has one; `hands` stand in order of position. */
export function whichHand(hands, hand) {
  const own = hands.filter((one) => one.seat === hand.seat);
  return own.length > 1 ? ["first hand", "second hand"][own.findIndex((one) => one.position === hand.position)] : "";
}

/** An entry for the hands of a round (in order of position), filled from a draft in the wire's form. */
export function makeEntry(hands, draft = []) {
  const entry = {
    hands: hands.map((hand) => {
      const laid = draft.find((one) => one.position === hand.position) ?? draft.find((one) => one.seat === hand.seat && !one.position) ?? {};
      return {
        seat: hand.seat,
        position: hand.position,
        player: hand.player,
        which: whichHand(hands, hand),
        front: split(laid.front, 3),
        middle: split(laid.middle, 5),
        back: split(laid.back, 5),
        declares: laid.declares ?? null,
        misset: Boolean(laid.misset),
      };
    }),
    hand: 0,
    segment: "front",
  };
  const open = entry.hands.findIndex((hand) => !isFull(hand));
  aim(entry, Math.max(open, 0));
  return entry;
}

function split(text, size) {
  return (text ?? "").split(/\s+/).filter((card) => CARD.test(card)).slice(0, size);
}

/** The entry in the wire's form. */
export function asDraft(entry) {
  return entry.hands.map((hand) => ({
    seat: hand.seat,
    position: hand.position,
    front: hand.front.join(" "),
    middle: hand.middle.join(" "),
    back: hand.back.join(" "),
    declares: hand.declares,
    misset: hand.misset,
  }));
}

/** Whether two drafts say the same, whatever came with them or in what order. */
export function sameDraft(one, other) {
  const plain = (draft) => JSON.stringify([...(draft ?? [])]
    .sort((a, b) => a.seat - b.seat || (a.position ?? 0) - (b.position ?? 0))
    .map((hand) => [hand.seat, ...SEGMENTS.map((segment) => (hand[segment] ?? "").split(/\s+/).filter(Boolean).join(" ")), hand.declares || null, Boolean(hand.misset)]));
  return plain(one) === plain(other);
}

export const countOf = (hand) => hand.front.length + hand.middle.length + hand.back.length;
export const isFull = (hand) => countOf(hand) === 13;
/** Whether every hand has its 13 cards, or lies mis-set and needs none. */
export const isComplete = (entry) => entry.hands.every((hand) => isFull(hand) || hand.misset);

/** Where a card lies: {hand, segment}, or null. */
export function placeOf(entry, card) {
  for (const [at, hand] of entry.hands.entries()) {
    for (const segment of SEGMENTS) if (hand[segment].includes(card)) return { hand: at, segment };
  }
  return null;
}

/** The next segment of a hand with room, beginning with the one given; null if it is full. */
function openSegment(hand, from = "front") {
  const at = SEGMENTS.indexOf(from);
  const order = [...SEGMENTS.slice(at), ...SEGMENTS.slice(0, at)];
  return order.find((segment) => hand[segment].length < SIZES[segment]) ?? null;
}

/** Fill this hand next, this segment if it is given. */
export function aim(entry, hand, segment = null) {
  entry.hand = hand;
  entry.segment = segment ?? openSegment(entry.hands[hand]) ?? "back";
}

/** Go some hands on (or back), around the table. */
export function step(entry, by) {
  aim(entry, (entry.hand + by + entry.hands.length) % entry.hands.length);
}

/** Lay a card where the next one goes; false if it lies somewhere already or the hand is full. Then aim on. */
export function place(entry, card) {
  if (!CARD.test(card) || placeOf(entry, card)) return false;
  let hand = entry.hands[entry.hand];
  if (isFull(hand)) {
    const next = nextOpen(entry);
    if (next === null) return false;
    aim(entry, next);
    hand = entry.hands[next];
  }
  const segment = openSegment(hand, entry.segment);
  hand[segment].push(card);
  const following = openSegment(hand, segment);
  if (following) entry.segment = following;
  else {
    entry.segment = segment;
    const next = nextOpen(entry);
    if (next !== null) aim(entry, next);
  }
  return true;
}

/** The next hand around the table that still wants cards, or null. */
function nextOpen(entry) {
  const count = entry.hands.length;
  for (let on = 1; on <= count; on += 1) {
    const at = (entry.hand + on) % count;
    if (!isFull(entry.hands[at]) && !entry.hands[at].misset) return at;
  }
  return null;
}

/** Take a card up again and aim at its place. */
export function take(entry, card) {
  const place = placeOf(entry, card);
  if (!place) return false;
  const hand = entry.hands[place.hand];
  hand[place.segment] = hand[place.segment].filter((one) => one !== card);
  if (hand.declares && !isFull(hand)) hand.declares = null;
  entry.hand = place.hand;
  entry.segment = place.segment;
  return true;
}

/** Take up the last card of the aimed hand: of the aimed segment, else of the one before. Gives the card or null. */
export function takeLast(entry, at = entry.hand) {
  const hand = entry.hands[at];
  const from = at === entry.hand ? SEGMENTS.indexOf(entry.segment) : 2;
  const order = [...SEGMENTS.slice(0, from + 1).reverse(), ...SEGMENTS.slice(from + 1).reverse()];
  const segment = order.find((one) => hand[one].length);
  if (!segment) return null;
  const card = hand[segment].at(-1);
  take(entry, card);
  return card;
}

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
