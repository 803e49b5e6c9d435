// Keeping the draft with the house: a moment after each change, one request at a time, again and again while the
// connection is away. The tablet keeps its own copy until the house has it. Nothing here is dropped without being told.

import { putDraft, Refusal } from "./api.js";
import { asDraft, sameDraft } from "./entry.js";
import { keep } from "./keep.js";

const PAUSE = 150;
const RETRIES = [1000, 2000, 4000, 8000];

export class Saver {
  /**
   * `entry` is read whenever something is sent. `tell` has: saving(), saved(check, draft), away(), conflict(body),
   * gone(refusal), refused(refusal).
   */
  constructor(round, entry, version, tell) {
    this.round = round;
    this.entry = entry;
    this.version = version;
    this.tell = tell;
    this.dirty = false;
    this.busy = false;
    this.failures = 0;
    this.stopped = false;
    this.timer = null;
    this.keptHere = true;
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

  schedule(wait) {
    clearTimeout(this.timer);
    if (!this.stopped) this.timer = setTimeout(() => this.send(), wait);
  }

  /** Try at once: the connection may be back. */
  hurry() {
    if (this.dirty) this.schedule(0);
  }

  /** Nothing more is sent, for instance because the round is being confirmed or the entries disagree. */
  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Go on from this version of the house's. */
  resume(version) {
    this.version = version;
    this.stopped = false;
    this.keepHere();
    this.hurry();
  }

  async send() {
    if (this.busy || this.stopped || !this.dirty) return;
    this.busy = true;
    const draft = asDraft(this.entry);
    if (!this.failures) this.tell.saving();
    try {
      const check = await putDraft(this.round, { version: this.version, hands: draft });
      this.accepted(check.version, draft);
      this.tell.saved(check, draft);
    } catch (error) {
      this.failed(error, draft);
    } finally {
      this.busy = false;
    }
    if (this.dirty && !this.failures) this.schedule(PAUSE);
  }

  accepted(version, draft) {
    this.version = version;
    this.failures = 0;
    this.dirty = !sameDraft(draft, asDraft(this.entry));
    if (!this.stopped) this.keepHere();
  }

  failed(error, draft) {
    if (!(error instanceof Refusal)) {
      this.tell.away();
      this.schedule(RETRIES[Math.min(this.failures, RETRIES.length - 1)]);
      this.failures += 1;
    } else if (error.code === "stale_page") {
      this.disagree(error.body, draft);
    } else if (error.code === "already_settled" || error.code === "round_void") {
      this.stop();
      this.tell.gone(error);
    } else {
      this.tell.refused(error);
      if (error.signedOut) this.schedule(RETRIES[3]);
    }
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
