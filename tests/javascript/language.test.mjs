// Texts of scripts in the page's language: with their values, by number, and English where there is none.

import "./house.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const texts = {
  "Round {number} is settled.": "第 {number} 局已結算。",
  "{count} card": ["{count} carta", "{count} cartas"],
  "{count} hand": ["{count} 手牌"],
};
document.querySelector = (asked) => (asked === "[data-texts]" ? { dataset: { texts: JSON.stringify(texts) } } : null);
const { t, tn } = await import("../../casino/static/js/language.js");

test("a text is said in the page's language, with its values", () => {
  assert.equal(t("Round {number} is settled.", { number: 7 }), "第 7 局已結算。");
});

test("a text without a translation stays English, and a value is never read as a place", () => {
  assert.equal(t("{name} has won", { name: "{number}" }), "{number} has won");
  assert.equal(t("Round {round}", {}), "Round {round}");
});

test("a number has the form of its language", () => {
  assert.deepEqual([1, "1", 3].map((count) => tn("{count} card", "{count} cards", count)), ["1 carta", "1 carta", "3 cartas"]);
  assert.equal(tn("{count} hand", "{count} hands", 1), "1 手牌");
  assert.deepEqual([1, 2].map((count) => tn("{count} point", "{count} points", count)), ["1 point", "2 points"]);
});
