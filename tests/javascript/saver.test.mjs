// Keeping a draft with the house: nothing is sent twice at once, nothing that was typed is lost.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { answering, asked, begin, pass, storage } from "./house.mjs";
import { asDraft, makeEntry, place } from "../../casino/static/js/dealer/entry.js";
import { kept } from "../../casino/static/js/dealer/keep.js";
import { Saver } from "../../casino/static/js/dealer/saver.js";

let entry;
let told;
let saver;
const PAUSE = 150;
const bodies = () => asked.map((one) => one.body);
const changing = async (card) => {
  place(entry, card);
  saver.changed();
};

beforeEach(() => {
  begin();
  told = [];
  entry = makeEntry({ hands: [{ seat: 1, position: 1, player: "Ann" }] });
  const tell = Object.fromEntries(["saving", "saved", "away", "conflict", "gone", "refused"].map((name) => [name, () => told.push(name)]));
  saver = new Saver(7, entry, 3, tell);
});

test("what is tapped quickly goes in one request, and the tablet has it at once", async () => {
  changing("Qs");
  changing("Qh");
  assert.equal(kept("round:7").hands[0].front, "Qs Qh");
  answering([200, { version: 4 }]);
  await pass(PAUSE);
  assert.deepEqual(bodies(), [{ version: 3, hands: [{ seat: 1, position: 1, front: "Qs Qh" }] }]);
  assert.deepEqual([told, saver.version, saver.dirty, kept("round:7").dirty], [["saving", "saved"], 4, false, false]);
});

test("a change while a request is under way goes afterwards, upon the version that was answered", async () => {
  let answer;
  const first = new Promise((resolve) => { answer = resolve; });
  const usual = globalThis.fetch;
  globalThis.fetch = async (...call) => { await first; return usual(...call); };
  changing("Qs");
  await pass(PAUSE);
  changing("Qh");
  await pass(PAUSE);
  assert.equal(asked.length, 0);
  globalThis.fetch = usual;
  answering([200, { version: 4 }], [200, { version: 5 }]);
  answer();
  await pass();
  await pass(PAUSE);
  assert.deepEqual(bodies().map((body) => body.version), [3, 4]);
  assert.equal(bodies()[1].hands[0].front, "Qs Qh");
  assert.equal(saver.dirty, false);
});

test("while the house is away it is asked after 1, 2, 4 and 8 seconds, then every 8, and the entry stays", async () => {
  changing("Qs");
  await pass(PAUSE);
  for (const wait of [1000, 2000, 4000, 8000, 8000]) {
    const before = asked.length;
    await pass(wait - 1);
    assert.equal(asked.length, before);
    await pass(1);
    assert.equal(asked.length, before + 1);
  }
  assert.ok(kept("round:7").dirty);
  answering([200, { version: 4 }]);
  await pass(8000);
  assert.deepEqual([told.at(-1), saver.failures, saver.dirty], ["saved", 0, false]);
});

test("a 500 is no answer: the same is sent again", async () => {
  answering([500, {}], [200, { version: 4 }]);
  changing("Qs");
  await pass(PAUSE);
  assert.deepEqual(told, ["saving", "away"]);
  await pass(1000);
  assert.equal(told.at(-1), "saved");
});

test("when the answer of our own draft was lost, it goes on from the house's version", async () => {
  changing("Qs");
  answering([409, { code: "stale_page", version: 9, draft: { hands: asDraft(entry) } }], [200, { version: 10 }]);
  await pass(PAUSE);
  await pass(PAUSE);
  assert.deepEqual([saver.stopped, saver.version, told.at(-1)], [false, 10, "saved"]);
});

test("when somebody else has entered other cards, nothing more is sent until a person decides", async () => {
  const theirs = { code: "stale_page", version: 9, draft: { hands: [{ seat: 1, position: 1, front: "Ks" }] } };
  answering([409, theirs]);
  changing("Qs");
  await pass(PAUSE);
  assert.equal(told.at(-1), "conflict");
  changing("Qh");
  await pass(60_000);
  assert.equal(asked.length, 1);
  assert.equal(kept("round:7").hands[0].front, "Qs Qh");
  answering([200, { version: 10 }]);
  saver.resume(9);
  await pass();
  assert.deepEqual([bodies()[1].version, told.at(-1)], [9, "saved"]);
});

for (const code of ["already_settled", "round_void"]) {
  test(`${code}: the round is over, and nothing more is sent`, async () => {
    answering([409, { code }]);
    changing("Qs");
    await pass(PAUSE);
    changing("Qh");
    await pass(60_000);
    assert.deepEqual([told.at(-1), asked.length], ["gone", 1]);
  });
}

test("what the house refuses goes again once it has changed, also if it changed while it was on its way", async () => {
  answering([400, { code: "bad_cards" }], [400, { code: "bad_cards" }], [200, { version: 4 }]);
  changing("Qs");
  await pass(PAUSE);
  await pass(60_000);
  assert.deepEqual([asked.length, told], [1, ["saving", "refused"]]);
  changing("Qh");
  await pass(PAUSE - 1);
  mock.timers.tick(1);
  changing("Qd");
  await pass();
  await pass(PAUSE);
  assert.deepEqual([asked.length, told.at(-1), bodies()[2].hands[0].front], [3, "saved", "Qs Qh Qd"]);
});

test("whoever is signed out is told, and the entry goes once they are back", async () => {
  answering([401, { code: "not_signed_in" }], [200, { version: 4 }]);
  changing("Qs");
  await pass(PAUSE);
  assert.equal(told.at(-1), "refused");
  await pass(999);
  assert.equal(asked.length, 1);
  await pass(1);
  assert.equal(told.at(-1), "saved");
});

test("a tablet that can keep nothing says so and still sends", async () => {
  storage.full = true;
  changing("Qs");
  assert.equal(saver.keptHere, false);
  answering([200, { version: 4 }]);
  await pass(PAUSE);
  assert.equal(told.at(-1), "saved");
});
