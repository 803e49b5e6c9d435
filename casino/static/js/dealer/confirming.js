// Confirming once: the key and the hands are kept on the tablet before they are first sent, so that a lost answer, a
// second tap or a reload sends the same act again, never another one.

import { newKey } from "../keys.js";
import { Refusal, settle } from "./api.js";
import { drop, keep, kept } from "./keep.js";

const RETRIES = [500, 1500, 3000, 6000];

export class Confirming {
  /** `tell` has: sending(), away(), settled(round), refused(refusal). */
  constructor(round, tell) {
    this.name = `settle:${round}`;
    this.round = round;
    this.tell = tell;
    this.busy = false;
    this.failures = 0;
    this.timer = null;
  }

  /** What was sent and not answered yet: {key, hands}, or null. */
  get pending() {
    return this.waiting ?? kept(this.name);
  }

  /** Confirm these hands; while an earlier confirmation has no answer, that one is sent again instead. */
  confirm(hands) {
    if (this.busy) return;
    this.waiting = this.pending ?? { key: newKey(), hands };
    keep(this.name, this.waiting);
    this.send();
  }

  /** Send again what has no answer yet. */
  hurry() {
    if (this.pending && !this.busy) {
      this.waiting = this.pending;
      this.send();
    }
  }

  async send() {
    clearTimeout(this.timer);
    this.busy = true;
    this.tell.sending();
    try {
      const round = await settle(this.round, this.waiting);
      this.forget();
      this.tell.settled(round);
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy = false;
    }
  }

  failed(error) {
    if (error instanceof Refusal && !error.signedOut) {
      this.forget();
      this.tell.refused(error);
      return;
    }
    if (error instanceof Refusal) this.tell.refused(error);
    else this.tell.away();
    this.timer = setTimeout(() => this.hurry(), RETRIES[Math.min(this.failures, RETRIES.length - 1)]);
    this.failures += 1;
  }

  forget() {
    clearTimeout(this.timer);
    this.waiting = null;
    this.failures = 0;
    drop(this.name);
  }
}
