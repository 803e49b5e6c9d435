// What another person played here without the house: it is sent under the name of whoever presses, and says who played it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answering, asked, begin, pass, storage } from "./house.mjs";
import { Outage } from "../../casino/static/js/dealer/outage.js";

const SHOWN = { net: { 1: "40.00", 2: "-40.00" } };
let outage;

const left = (by, rounds) => storage.setItem("dealing:outage:7", JSON.stringify({ value: { since: 0, plan: {}, last: null, rounds }, by, name: by }));
const played = (more = {}) => ({
  round: { number: 1, id: "here-1" }, id: null, start: { key: "start-of-round-1" }, settle: { key: "settles-round-1", hands: [] },
  shown: SHOWN, at: 0, down: null, told: "tells-the-floor", refused: null, isTold: false, ...more,
});
const bodies = () => asked.map((one) => one.body.played_by);

beforeEach(() => {
  begin();
  outage = undefined;
});

/** The page of person 4, who takes up what lies there. */
function takeUp() {
  const told = Object.fromEntries(["away", "settled", "refused", "over"].map((name) => [name, () => {}]));
  outage = new Outage("7", told);
  outage.takeUp();
}

test("the start and the result of a round that another played say whose it is", async () => {
  left("9", [played()]);
  takeUp();
  answering([201, { id: 31 }], [200, { settlement: SHOWN }]);
  await pass();
  await pass(1000);
  assert.deepEqual(bodies(), [9, 9]);
});

test("so does what is told to the floor where the house takes it otherwise", async () => {
  left("9", [played({ id: 31, start: null })]);
  takeUp();
  answering([200, { settlement: { net: { 1: "50.00", 2: "-50.00" } } }], [200, { dispute: 1 }]);
  await pass();
  await pass(1000);
  assert.deepEqual(bodies(), [9, 9]);
});

test("a round of one's own says nobody else's name, and one that was taken up twice keeps who played it first", async () => {
  left("9", [played({ start: { key: "start-of-round-1", played_by: 8 } })]);
  takeUp();
  outage.state.rounds.push(played({ start: { key: "start-of-round-2" } }));
  assert.deepEqual(outage.state.rounds.map(({ start, settle }) => [start.played_by, settle.played_by]), [[8, 9], [undefined, undefined]]);
});
