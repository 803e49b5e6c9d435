// What a tablet keeps belongs to whoever entered it: nobody else acts with it, and nobody else's is lost.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { begin, storage } from "./house.mjs";
import { drop, keep, kept, keptByAnother, keptHere } from "../../casino/static/js/dealer/keep.js";

const page = document.body.dataset;
const DANA = { openedBy: "4", openedByName: "Dana" };
const ZOE = { openedBy: "7", openedByName: "Zoe" };
const opens = (person) => Object.assign(page, person);
const ENTRY = { hands: [{ seat: 1, position: 1, front: "Qs" }], dirty: true };

beforeEach(() => {
  begin();
  opens(DANA);
});

test("whoever entered it finds it again, and nobody else's name stands at it", () => {
  assert.equal(keep("round:7", ENTRY), true);
  assert.deepEqual(kept("round:7"), ENTRY);
  assert.equal(keptByAnother("round:7"), null);
});

test("the next person does not act with it, and is told whose it is", () => {
  keep("round:7", ENTRY);
  opens(ZOE);
  assert.equal(kept("round:7"), null);
  assert.deepEqual(keptByAnother("round:7"), { value: ENTRY, by: "4", name: "Dana" });
});

test("it waits for whoever entered it, and is theirs again when they come back", () => {
  keep("settle:7", ENTRY);
  opens(ZOE);
  assert.equal(kept("settle:7"), null);
  opens(DANA);
  assert.deepEqual(kept("settle:7"), ENTRY);
});

test("what the next person enters is theirs from then on", () => {
  keep("round:7", ENTRY);
  opens(ZOE);
  keep("round:7", { ...ENTRY, dirty: false });
  assert.deepEqual(keptHere("round:7"), { value: { ...ENTRY, dirty: false }, by: "7", name: "Zoe" });
  opens(DANA);
  assert.deepEqual([kept("round:7"), keptByAnother("round:7").name], [null, "Zoe"]);
});

test("two people of one name are two people", () => {
  keep("round:7", ENTRY);
  opens({ ...DANA, openedBy: "9" });
  assert.equal(kept("round:7"), null);
  assert.equal(keptByAnother("round:7").by, "4");
});

test("what nobody's number stands at, from before the tablet kept whose it was, is nobody's to send", () => {
  storage.setItem("dealing:round:7", JSON.stringify(ENTRY));
  assert.deepEqual([kept("round:7"), keptByAnother("round:7")], [null, null]);
  storage.setItem("dealing:round:8", "no json");
  assert.deepEqual([kept("round:8"), keptByAnother("round:8")], [null, null]);
});

test("what is dropped is nobody's", () => {
  keep("round:7", ENTRY);
  drop("round:7");
  assert.deepEqual([kept("round:7"), keptHere("round:7"), keptByAnother("round:7")], [null, null, null]);
});
