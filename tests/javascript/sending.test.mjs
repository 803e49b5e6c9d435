// Sending again: one request at a time, longer waits while nobody answers, one key for one act.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answering, asked, begin, pass, storage } from "./house.mjs";
import { settle } from "../../casino/static/js/dealer/api.js";
import { kept } from "../../casino/static/js/dealer/keep.js";
import { Act, Sender } from "../../casino/static/js/dealer/sending.js";

let told;

class Letters extends Sender {
  constructor() {
    super([100, 400], { away: () => told.push("away") });
    this.due = true;
  }

  async attempt() {
    await settle(7, {});
    this.due = false;
    told.push("sent");
  }

  refused(refusal) {
    told.push(refusal.code);
  }
}

beforeEach(() => {
  begin();
  told = [];
});

test("while nobody answers it is sent after each wait, and after the last wait from then on", async () => {
  const letters = new Letters();
  letters.send();
  await pass();
  for (const wait of [100, 400, 400]) {
    const before = asked.length;
    await pass(wait - 1);
    assert.equal(asked.length, before);
    await pass(1);
    assert.equal(asked.length, before + 1);
  }
  answering([200, {}]);
  await pass(400);
  await pass(60_000);
  assert.deepEqual([asked.length, told], [5, ["away", "away", "away", "away", "sent"]]);
});

test("what is refused is not sent again, and who is signed out is asked again", async () => {
  const letters = new Letters();
  answering([401, { code: "not_signed_in" }], [409, { code: "round_void" }]);
  letters.send();
  await pass();
  await pass(100);
  await pass(60_000);
  assert.deepEqual(told, ["not_signed_in", "round_void"]);
});

test("nothing is sent beside a request that is under way, or when nothing is due", async () => {
  const letters = new Letters();
  answering([200, {}]);
  letters.send();
  letters.send();
  await pass();
  letters.send();
  await pass();
  assert.deepEqual([asked.length, told], [1, ["sent"]]);
});

test("a later plan replaces the earlier one, and what is cancelled does not go", async () => {
  const letters = new Letters();
  letters.schedule(100);
  letters.schedule(200);
  await pass(100);
  assert.equal(asked.length, 0);
  letters.cancel();
  await pass(60_000);
  assert.equal(asked.length, 0);
});

test("an act has one key until it is over, and a named one is kept on the tablet and outlasts a reload", () => {
  const act = new Act("settle:7");
  assert.equal(act.pending, null);
  const { key } = act.begin({ hands: [] });
  assert.deepEqual([act.pending, kept("settle:7")], [{ key, hands: [] }, { key, hands: [] }]);
  const reloaded = new Act("settle:7");
  assert.equal(reloaded.pending.key, key);
  reloaded.over();
  assert.deepEqual([reloaded.pending, kept("settle:7")], [null, null]);
  assert.notEqual(act.begin().key, key);
});

test("an act without a name is kept nowhere, and a named one is remembered where the tablet can keep nothing", () => {
  const here = new Act();
  assert.equal(here.begin().key, here.pending.key);
  assert.equal(new Act().pending, null);
  storage.full = true;
  const named = new Act("settle:7");
  assert.equal(named.begin().key, named.pending.key);
});
