// Keeping the draft with the house: a moment after each change, and again while the connection is away. The tablet keeps
// its own copy until the house has it. Nothing here is dropped without being told.

import { putDraft } from "./api.js";
import { asDraft, sameDraft } from "./entry.js";
import { keep } from "./keep.js";
import { Sender } from "./sending.js";

const PAUSE = 150;

export class Saver extends Sender {
  /**
   * @param {number} round
   * @param {import("./entry.js").Entry} entry read whenever something is sent
   * @param {number} version of the house's draft that the entry was filled from
   * @param {object} tell has: saving(), saved(check, draft), away(), conflict(body), gone(refusal), refused(refusal)
   */
  constructor(round, entry, version, tell) {
    super([1000, 2000, 4000, 8000], tell);
    this.round = round;
    this.entry = entry;
    this.version = version;
    this.dirty = false;
    this.stopped = false;
    this.keptHere = true;
  }

  get due() {
    return this.dirty && !this.stopped;
  }

  /** Something changed: keep it here at once, there in a moment. */
  changed() {
    this.dirty = true;
    this.keepHere();
    this.schedule(PAUSE);
  }

  keepHere() {
    this.keptHere = keep(`round:${this.round}`, { base: this.version, hands: asDraft(this.entry), dirty: this.dirty });
  }

  /** Try at once: the connection may be back. */
  hurry() {
    this.schedule(0);
  }

  /** Nothing more is sent, for instance because the round is being confirmed or the entries disagree. */
  stop() {
    this.stopped = true;
    this.cancel();
  }

  /** Go on from this version of the house's. */
  resume(version) {
    this.version = version;
    this.stopped = false;
    this.keepHere();
    this.hurry();
  }

  async attempt() {
    const draft = asDraft(this.entry);
    if (!this.failures) this.tell.saving();
    try {
      const check = await putDraft(this.round, { version: this.version, hands: draft });
      this.accepted(check.version, draft);
      this.tell.saved(check, draft);
    } catch (error) {
      if (error.code !== "stale_page") throw error;
      this.disagree(error.body, draft);
    } finally {
      if (!sameDraft(draft, asDraft(this.entry))) this.schedule(PAUSE); // changed on the way
    }
  }

  accepted(version, draft) {
    this.version = version;
    this.failures = 0;
    this.dirty = !sameDraft(draft, asDraft(this.entry));
    if (!this.stopped) this.keepHere();
  }

  refused(refusal) {
    if (refusal.code === "already_settled" || refusal.code === "round_void") {
      this.stop();
      this.tell.gone(refusal);
    } else this.tell.refused(refusal);
  }

  /** The house has a newer entry: our own whose answer was lost, or somebody else's. */
  disagree(body, draft) {
    if (sameDraft(body.draft?.hands, draft) || sameDraft(body.draft?.hands, asDraft(this.entry))) {
      this.accepted(body.version, body.draft.hands);
      this.dirty = true; // the answer with the categories was lost: ask once more
      this.schedule(0);
      return;
    }
    this.stop();
    this.tell.conflict(body);
  }
}
