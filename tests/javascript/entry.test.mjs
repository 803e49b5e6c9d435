// The entry of a round: where a card goes, what the wire gets, and what a dealer may type.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  aim, asDraft, bySeat, cardsIn, fillLast, filledOf, isComplete, layAll, leftOver, makeEntry, place, placeOf, readTyped, sameCards,
  sameDraft, step, swapCards, take, takeLast, whichHand,
} from "../../casino/static/js/dealer/entry.js";

const QUEENS = "Qs Qh 2c 5c 6d 7h 8s 9s Ad Kd 9d 4d 2d".split(" ");
const hands = (...seats) => seats.map((seat, at) => ({ seat, position: at + 1, player: `Seat ${seat}` }));
const entryOf = (...seats) => makeEntry({ hands: hands(...seats) });
const lay = (entry, cards) => cards.map((card) => place(entry, card));

test("thirteen cards fill front, middle and back, and the next hand is aimed at", () => {
  const entry = entryOf(1, 2);
  assert.ok(lay(entry, QUEENS).every(Boolean));
  assert.deepEqual([entry.hands[0].front, entry.hands[0].middle.length, entry.hands[0].back.length], [["Qs", "Qh", "2c"], 5, 5]);
  assert.deepEqual([entry.hand, entry.segment], [1, "front"]);
});

test("R7: no card lies twice, and what is no card lies nowhere", () => {
  const entry = entryOf(1, 2);
  place(entry, "Qs");
  for (const card of ["Qs", "1s", "QS", "Qx", ""]) assert.equal(place(entry, card), false);
  assert.equal(cardsIn(asDraft(entry)), 1);
});

test("a full entry takes nothing more", () => {
  const entry = entryOf(1);
  lay(entry, QUEENS);
  assert.equal(place(entry, "3s"), false);
  assert.ok(isComplete(entry));
});

test("a card that is taken up is aimed at, and the next one lies there", () => {
  const entry = entryOf(1, 2);
  lay(entry, QUEENS);
  assert.ok(take(entry, "6d"));
  assert.equal(take(entry, "6d"), false);
  place(entry, "6h");
  assert.deepEqual(placeOf(entry, "6h"), { hand: 0, segment: "middle" });
});

test("Backspace takes the last card of the aimed segment, then of the one before", () => {
  const entry = entryOf(1, 2);
  lay(entry, QUEENS.slice(0, 4));
  assert.deepEqual([takeLast(entry), takeLast(entry), takeLast(entry), takeLast(entry), takeLast(entry)], ["5c", "2c", "Qh", "Qs", null]);
});

test("two cards change places, also with one of the pad, and never with themselves", () => {
  const entry = entryOf(1, 2);
  lay(entry, QUEENS);
  assert.ok(swapCards(entry, "Qs", "Ad"));
  assert.deepEqual([placeOf(entry, "Ad").segment, placeOf(entry, "Qs").segment], ["front", "back"]);
  assert.ok(swapCards(entry, "Ad", "3s"));
  assert.equal(placeOf(entry, "Ad"), null);
  assert.equal(swapCards(entry, "3s", "3s"), false);
  assert.equal(swapCards(entry, "Jc", "Jd"), false);
});

test("the last row is filled with the cards that are left only where nothing else is possible", () => {
  const four = entryOf(1, 2, 3, 4);
  const deck = [..."AKQJT98765432"].flatMap((rank) => [..."shdc"].map((suit) => rank + suit));
  lay(four, deck.slice(0, 46));
  assert.equal(leftOver(four), null);
  place(four, deck[46]);
  assert.deepEqual(leftOver(four).cards, deck.slice(47));
  assert.ok(fillLast(four));
  assert.ok(isComplete(four));
  assert.deepEqual(filledOf(four).cards, deck.slice(47));
  assert.equal(takeLast(four, 3), deck[47]);
  assert.deepEqual([filledOf(four), cardsIn(asDraft(four))], [null, 47]);
});

test("the wire gets what there is and leaves out what is empty or false", () => {
  const entry = makeEntry({ hands: hands(2, 3) }, [{ seat: 3, surrenders: true, royalties: ["back", "front"] }]);
  place(entry, "Qs");
  assert.deepEqual(asDraft(entry), [
    { seat: 2, position: 1, front: "Qs" },
    { seat: 3, position: 2, surrenders: true, royalties: ["front", "back"] },
  ]);
});

test("a draft makes the entry it came from, and no junk gets in", () => {
  const entry = entryOf(1, 2);
  lay(entry, QUEENS);
  const again = makeEntry({ hands: hands(1, 2) }, asDraft(entry));
  assert.ok(sameDraft(asDraft(entry), asDraft(again)));
  const junk = makeEntry({ hands: hands(1) }, [{ seat: 1, front: "Qs xx Qh 2c 3c", middle: null }]);
  assert.deepEqual(junk.hands[0].front, ["Qs", "Qh", "2c"]);
});

test("drafts are the same whatever their order or spaces, and differ by any word", () => {
  const one = [{ seat: 1, position: 1, front: "Qs  Qh" }, { seat: 2, position: 2, misset: true }];
  const other = [{ seat: 2, position: 2, misset: true, surrenders: false }, { seat: 1, position: 1, front: "Qs Qh " }];
  assert.ok(sameDraft(one, other));
  assert.ok(!sameDraft(one, [{ ...other[0], misset: false }, other[1]]));
  assert.ok(!sameDraft(one, [other[0], { ...other[1], declares: "six_pairs" }]));
  assert.ok(sameCards(one[0], other[1]));
  assert.ok(sameDraft(null, []));
});

test("R25: a hand that lies unset takes thirteen cards in one row and is done once it is declared", () => {
  const entry = makeEntry({ hands: hands(1) }, [{ seat: 1, dealt: "Qs" }]);
  lay(entry, QUEENS.slice(1));
  assert.equal(entry.hands[0].dealt.length, 13);
  assert.ok(!isComplete(entry));
  entry.hands[0].declares = "six_pairs";
  assert.ok(isComplete(entry));
  entry.hands[0].unset = false;
  layAll(entry.hands[0], entry.hands[0].dealt);
  assert.deepEqual([entry.hands[0].front.length, entry.hands[0].dealt], [3, []]);
});

test("R27: whoever surrenders is done without cards and is passed over", () => {
  const entry = makeEntry({ hands: hands(1, 2) }, [{ seat: 1, surrenders: true }]);
  assert.equal(entry.hand, 1);
  lay(entry, QUEENS);
  assert.ok(isComplete(entry));
  step(entry, 1);
  assert.equal(entry.hand, 1);
});

test("n and p go around the table, whichever hand is aimed at", () => {
  const entry = entryOf(1, 2, 3);
  step(entry, -1);
  assert.equal(entry.hand, 2);
  step(entry, 1);
  assert.equal(entry.hand, 0);
  aim(entry, 1, "back");
  assert.deepEqual([entry.hand, entry.segment], [1, "back"]);
});

test("R35: two hands of one seat are told apart and lie side by side", () => {
  const dealt = [{ seat: 2, position: 1 }, { seat: 1, position: 2 }, { seat: 2, position: 3 }, { seat: 1, position: 4 }];
  assert.deepEqual(dealt.map((hand) => whichHand(dealt, hand)), ["first hand", "first hand", "second hand", "second hand"]);
  assert.deepEqual(bySeat(dealt).map((hand) => hand.position), [2, 4, 1, 3]);
  assert.equal(whichHand(hands(1, 2), { seat: 1, position: 1 }), "");
});

test("typed cards: any case, signs, 10 for T; a rank waits for its suit, and what is no card is named", () => {
  assert.deepEqual(readTyped("qs, QH 10c \u2660"), { cards: ["Qs", "Qh", "Tc"], rest: "", wrong: "s" });
  assert.deepEqual(readTyped("A\u2665td"), { cards: ["Ah", "Td"], rest: "", wrong: "" });
  assert.deepEqual(readTyped("as k"), { cards: ["As"], rest: "k", wrong: "" });
  assert.deepEqual(readTyped("1"), { cards: [], rest: "1", wrong: "" });
  assert.deepEqual(readTyped("qx"), { cards: [], rest: "", wrong: "x" });
});
