// Starting a round once: its button may stay in view after the answer, as while the floor's page goes back to the table.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answering, asked, begin, pass } from "./house.mjs";
import { Starting } from "../../casino/static/js/dealer/starting.js";

const plan = () => ({ number: 3, sheet: {}, dealt_in: [], pair_stakes: [] });
let told;
const starting = () => {
  const one = new Starting(5, { heard: () => {}, failed: () => told.push("failed"), started: (round) => told.push(round.id) });
  one.plan = plan();
  return one;
};

beforeEach(() => {
  begin();
  told = [];
});

test("a second tap sends nothing, before the answer or after it", async () => {
  const one = starting();
  answering([201, { id: 7 }], [409, { code: "round_running" }]);
  one.start();
  one.start();
  await pass();
  one.start();
  await pass();
  assert.deepEqual([asked.length, told], [1, [7]]);
});

test("the next round starts from the plan that comes after", async () => {
  const one = starting();
  answering([201, { id: 7 }], [201, { id: 8 }]);
  one.start();
  await pass();
  one.plan = plan();
  one.start();
  await pass();
  assert.deepEqual(told, [7, 8]);
  assert.notEqual(asked[0].body.key, asked[1].body.key);
});
