// Money and names as the tablet shows them: whole cents, never a float.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./house.mjs";

const { amountText, cents, counted, dollars, named, placeName, pointsOf, readAmount, sentence, signedDollars } = await import("../../casino/static/js/dealer/words.js");

test("amounts are read to the cent", () => {
  assert.deepEqual(["-45.00", "0.05", "1234.50", "7"].map(cents), [-4500, 5, 123450, 700]);
});

test("what somebody types is an amount above zero with two places or none", () => {
  assert.deepEqual(["50", "$7.50", " $ 20 "].map(readAmount), [5000, 750, 2000]);
  for (const text of ["", "0", "0.00", "-5", "7.5", "1,000", "1e3", "9999999", "7.500", "NaN"]) assert.equal(readAmount(text), null, text);
});

test("amounts are shown with their sign, their commas and two places", () => {
  assert.deepEqual([0, 5, 123450, -750, 100000000].map(dollars), ["$0.00", "$0.05", "$1,234.50", "\u2212$7.50", "$1,000,000.00"]);
  assert.deepEqual([4500, 0, -4500].map(signedDollars), ["+$45.00", "$0.00", "\u2212$45.00"]);
  assert.deepEqual([5000, 750, 5].map(amountText), ["50.00", "7.50", "0.05"]);
});

test("points of the limit are cut, never rounded up", () => {
  assert.deepEqual([pointsOf(4500, 500), pointsOf(-475, 500), pointsOf(2999, 1000)], ["9", "\u22120.95", "2.99"]);
});

test("a name written from right to left turns nothing around it", () => {
  assert.deepEqual([named("Ann"), named("\u05d0\u05d1")], ["Ann", "\u2068\u05d0\u05d1\u2069"]);
  assert.equal(placeName({ player: "Ann", which: "first hand" }, "front"), "the front of Ann\u2019s first hand");
  assert.equal(placeName({ player: "Ann", which: "" }, "dealt"), "Ann\u2019s unset hand");
});

test("words agree with their number, and sentences begin with a capital", () => {
  assert.deepEqual([counted(1, "point"), counted("1", "point"), counted(0, "point"), sentence("the front")], ["1 point", "1 point", "0 points", "The front"]);
});
