// Sending again, in one way: one request at a time, after longer waits while nobody answers, and an act under one key
// however often it goes. Drafts, confirmations, starts, corrections and misdeals are sent so.

import { newKey } from "../keys.js";
import { Refusal } from "./api.js";
import { drop, keep, kept } from "./keep.js";

/** One act under one key until the house has answered it. With a name it is kept on the tablet and outlasts a reload. */
export class Act {
  /** @param {string|null} name */
  constructor(name = null) {
    this.name = name;
    this.held = null;
  }

  /**
   * What has no answer yet.
   * @returns {object|null} its content and `key`
   */
  get pending() {
    this.held ??= this.name && kept(this.name);
    return this.held;
  }

  /**
   * Another act, under a new key, kept before it is sent.
   * @param {object} content
   */
  begin(content = {}) {
    this.held = { key: newKey(), ...content };
    if (this.name) keep(this.name, this.held);
    return this.held;
  }

  /** The house has answered. */
  over() {
    this.held = null;
    if (this.name) drop(this.name);
  }
}

/**
 * Sends until it is answered. A subclass has `due` (whether something waits to be sent), `attempt()`, which throws what
 * api.js throws, and `refused(refusal)`. Only a lost answer and a lost sign-in are worth another attempt.
 */
export class Sender {
  /**
   * @param {number[]} waits milliseconds before the next attempts; the last repeats
   * @param {{away: () => void}} tell
   */
  constructor(waits, tell) {
    this.waits = waits;
    this.tell = tell;
    this.busy = false;
    this.failures = 0;
    this.timer = null;
  }

  /** Send after so many milliseconds, and not when it was planned before. */
  schedule(wait) {
    this.cancel();
    this.timer = setTimeout(() => this.send(), wait);
  }

  cancel() {
    clearTimeout(this.timer);
  }

  async send() {
    if (this.busy || !this.due) return;
    this.cancel();
    this.busy = true;
    try {
      await this.attempt();
    } catch (error) {
      this.failed(error);
    } finally {
      this.busy = false;
    }
  }

  failed(error) {
    if (error instanceof Refusal) this.refused(error);
    else this.tell.away();
    if (error instanceof Refusal && !error.signedOut) return;
    this.schedule(this.waits[Math.min(this.failures, this.waits.length - 1)]);
    this.failures += 1;
  }
}
