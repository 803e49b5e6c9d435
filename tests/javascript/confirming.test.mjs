// Confirming a round once: a lost answer, a second tap or a reload sends the same act again and never another one.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answering, asked, begin, pass } from "./house.mjs";
import { Confirming } from "../../casino/static/js/dealer/confirming.js";
import { kept } from "../../casino/static/js/dealer/keep.js";

const HANDS = [{ seat: 1, position: 1, front: "Qs Qh 2c" }];
let told;
const confirming = () => new Confirming(7, Object.fromEntries(["sending", "away", "settled", "refused"].map((name) => [name, () => told.push(name)])));

beforeEach(() => {
  begin();
  told = [];
});

test("the key and the hands are kept before they are sent, and forgotten once the house has settled", async () => {
  const one = confirming();
  answering([200, { id: 7 }]);
  one.confirm(HANDS);
  const { key } = kept("settle:7");
  await pass();
  assert.deepEqual([asked[0].path, asked[0].body.key, asked[0].body.hands], ["/api/rounds/7/settle", key, HANDS]);
  assert.deepEqual([told, one.pending, kept("settle:7")], [["sending", "settled"], null, null]);
});

test("a second tap while the first is under way sends nothing", async () => {
  const one = confirming();
  answering([200, { id: 7 }]);
  one.confirm(HANDS);
  one.confirm([]);
  await pass();
  assert.equal(asked.length, 1);
});

test("a second tap after the answer sends nothing: the round is settled, though still in view", async () => {
  const one = confirming();
  answering([200, { id: 7 }], [409, { code: "already_settled" }]);
  one.confirm(HANDS);
  await pass();
  one.confirm(HANDS);
  await pass();
  assert.deepEqual([asked.length, told], [1, ["sending", "settled"]]);
});

test("a lost answer: the same key and hands go again, whatever was tapped meanwhile", async () => {
  const one = confirming();
  answering("away", [503, { code: "busy" }], [200, { id: 7 }]);
  one.confirm(HANDS);
  await pass();
  one.confirm([{ seat: 1, position: 1, front: "Ks" }]);
  await pass();
  await pass(1500);
  const [first, ...others] = asked.map((call) => JSON.stringify(call.body));
  assert.deepEqual([others, told.at(-1)], [[first, first], "settled"]);
});

test("a reload sends the kept act, not a new one", async () => {
  const before = confirming();
  before.confirm(HANDS);
  await pass();
  const after = confirming();
  answering([200, { id: 7 }]);
  after.send();
  await pass();
  assert.equal(asked.at(-1).body.key, asked[0].body.key);
});

test("what the house refuses is over: the next confirmation is another act", async () => {
  const one = confirming();
  answering([409, { code: "incomplete" }], [200, { id: 7 }]);
  one.confirm(HANDS);
  await pass();
  assert.deepEqual([told.at(-1), one.pending], ["refused", null]);
  one.confirm(HANDS);
  await pass();
  assert.notEqual(asked[1].body.key, asked[0].body.key);
});

test("signed out: the act is kept and sent again by itself", async () => {
  const one = confirming();
  answering([401, { code: "not_signed_in" }], [200, { id: 7 }]);
  one.confirm(HANDS);
  await pass();
  assert.equal(told.at(-1), "refused");
  await pass(500);
  assert.deepEqual([told.at(-1), asked[1].body.key], ["settled", asked[0].body.key]);
});

test("a clock in doubt is a refusal: sending again does not help, a person has to act", async () => {
  const one = confirming();
  answering([503, { code: "clock_doubted", error: "The clock has jumped." }]);
  one.confirm(HANDS);
  await pass();
  await pass(60_000);
  assert.deepEqual([asked.length, told.at(-1)], [1, "refused"]);
});
