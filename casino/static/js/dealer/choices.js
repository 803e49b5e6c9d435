// What was chosen for the next round: who declines, who pays in cash, what two or more players agreed on. Pure.

import { amountText, cents } from "./words.js";

export class Choices {
  constructor() {
    this.clear();
    this.sending = false;
  }

  /** Nothing is chosen: another round begins. */
  clear() {
    this.decline = new Set();
    this.cash = new Set();
    this.twoHands = new Set();
    this.stakes = null; // as the house proposes, until they are touched here
    this.reserved = false;
    this.matchStake = null;
  }

  /** The seats that play two hands each: both of two players agreed, or nobody does (R54). */
  get bothAgreed() {
    return this.twoHands.size === 2 ? [...this.twoHands].sort() : [];
  }

  /** Whether what was agreed on two hands each is still between the two who are dealt in. */
  agreementHolds(plan) {
    if (!this.twoHands.size || plan.round) return true;
    if (this.twoHands.size === 2) return plan.two_hands;
    return plan.two_hands_possible && plan.dealt_in.some((seat) => this.twoHands.has(seat.seat));
  }

  /** Whether a match begins with the next round, so that its stake is needed (R42). */
  static needsMatch(plan) {
    return Boolean(plan.sheet.race_to) && (!plan.match || plan.match.won_by !== null);
  }

  /** The stakes of pairs who are both dealt in: {sittings: [two], limit: cents}. Whoever sits there now, not whoever sat there before. */
  pairStakes(plan) {
    const sittings = new Map(plan.dealt_in.map((seat) => [seat.seat, seat.sitting]));
    const proposed = plan.pair_stakes.map((stake) => ({ sittings: stake.seats.map((seat) => sittings.get(seat)), limit: cents(stake.limit) }));
    const there = new Set(sittings.values());
    return (this.stakes ?? proposed).filter((stake) => stake.sittings.every((sitting) => there.has(sitting)));
  }

  /** Agree on a stake between two sittings, in cents, or on none (null). */
  agree(plan, pair, limit) {
    const others = this.pairStakes(plan).filter((stake) => !pair.every((sitting) => stake.sittings.includes(sitting)));
    this.stakes = limit ? [...others, { sittings: pair, limit }] : others;
  }

  /** What starts the round: only what this game has, and only what is possible now. */
  content(plan) {
    const sorted = (seats) => [...seats].sort();
    const seats = new Map(plan.dealt_in.map((seat) => [seat.sitting, seat.seat]));
    return {
      decline: sorted(this.decline),
      cash: sorted(this.cash),
      two_hands: this.bothAgreed,
      ...(plan.sheet.pair_stakes ? {
        pair_stakes: this.pairStakes(plan).map((stake) => ({ seats: stake.sittings.map((sitting) => seats.get(sitting)).sort(), limit: amountText(stake.limit) })),
      } : {}),
      ...(this.reserved && plan.reserved_possible ? { reserved: true } : {}),
      ...(Choices.needsMatch(plan) && this.matchStake ? { match_stake: amountText(this.matchStake) } : {}),
    };
  }
}
