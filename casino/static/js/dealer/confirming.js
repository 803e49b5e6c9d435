// Confirming once: the key and the hands are kept on the tablet before they are first sent, so that a lost answer, a
// second tap or a reload sends the same act again, never another one.

import { settle } from "./api.js";
import { Act, Sender } from "./sending.js";

export class Confirming extends Sender {
  /**
   * @param {number} round
   * @param {{sending: () => void, away: () => void, settled: (round: object) => void, refused: (refusal: object) => void}} tell
   */
  constructor(round, tell) {
    super([500, 1500, 3000, 6000], tell);
    this.round = round;
    this.act = new Act(`settle:${round}`);
    this.settled = false; // the round stays in view until the next one is asked for, and a second tap can still reach it
  }

  /**
   * What was sent and not answered yet.
   * @returns {{key: string, hands: object[]}|null}
   */
  get pending() {
    return this.act.pending;
  }

  get due() {
    return this.pending !== null;
  }

  /** Confirm these hands; while an earlier confirmation has no answer, that one is sent again instead. */
  confirm(hands) {
    if (this.busy || this.settled) return;
    if (!this.pending) this.act.begin({ hands });
    this.send();
  }

  async attempt() {
    this.tell.sending();
    const round = await settle(this.round, this.pending);
    this.settled = true;
    this.over();
    this.tell.settled(round);
  }

  refused(refusal) {
    if (!refusal.signedOut) this.over();
    this.tell.refused(refusal);
  }

  over() {
    this.act.over();
    this.cancel();
    this.failures = 0;
  }
}
