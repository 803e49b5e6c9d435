// Playing on while the house is away: rounds that were started and confirmed on this tablet, worked out here and settled by
// nobody yet. They are kept in their order and sent in it, each act once under its key, as soon as the house answers. What
// it settles otherwise, or refuses, is told to the floor as well as to the dealer.

import { hourAndMinute, serverNow } from "../clock.js";
import { newKey } from "../keys.js";
import { Refusal, reportDiscrepancy, settle, startRound } from "./api.js";
import { asDraft, sameDraft } from "./entry.js";
import { drop, keep, kept, keptByAnother } from "./keep.js";
import { workOut } from "./rules.js";
import { Saver } from "./saver.js";
import { Sender } from "./sending.js";

const LONGEST = 200; // letters of a reason

/**
 * A round played without the house: as it was dealt here, its number with the house once it has one, what starts and what
 * settles it there (each with who played it, once another person sends it), and what it came to here.
 * @typedef {object} Played
 * @property {object} round
 * @property {number|null} id
 * @property {object|null} start
 * @property {object|null} settle
 * @property {object|null} shown
 * @property {number} at when it began here, by the house's clock
 * @property {string|null} down when the down ends in which it began
 * @property {string} told the key under which the floor is told
 * @property {string|null} refused
 */

export class Outage extends Sender {
  /**
   * @param {string} session
   * @param {object} tell has: away(), settled(played, round, otherwise), refused(played), over(round|null, played|null)
   */
  constructor(session, tell) {
    super([1000, 2000, 4000, 8000], tell);
    this.session = session;
    this.name = `outage:${session}`;
    this.state = kept(this.name);
  }

  /** Whether play goes on without the house. */
  get on() {
    return this.state !== null;
  }

  /** @returns {Played|null} the round that is played right now */
  get current() {
    const newest = this.state?.rounds.at(-1);
    return newest && !newest.settle ? newest : null;
  }

  /** How many rounds have not been settled by the house. */
  get waiting() {
    return this.state?.rounds.length ?? 0;
  }

  /** What another person played here, and left: {value, by, name} or null. */
  get left() {
    return keptByAnother(this.name);
  }

  /** Somebody has pressed: what another person left here is sent under this one's name, and says who played it. */
  takeUp() {
    const { value, by } = this.left;
    for (const sent of value.rounds.flatMap((played) => [played.start, played.settle])) if (sent) sent.played_by ??= Number(by);
    this.state = value;
    this.save();
    this.hurry();
  }

  get due() {
    return this.waiting > 0 && !(this.state.rounds[0].refused && this.state.rounds[0].isTold);
  }

  save() {
    if (this.on) keep(this.name, this.state);
    else drop(this.name);
  }

  hurry() {
    this.schedule(0);
  }

  /**
   * From now on without the house.
   * @param {object} plan what the house said last
   * @param {object|null} round the one that it has started
   */
  begin(plan, round = null) {
    if (this.on) return;
    this.state = { since: Date.now(), plan, last: null, rounds: round ? [this.played(round, null)] : [] };
    this.save();
  }

  played(round, start) {
    return { round, id: start ? null : round.id, start, settle: null, shown: null, at: serverNow(), down: null, told: newKey(), refused: null, isTold: false };
  }

  /** The next round as it would start now, in the form of the house's plan. */
  async plan(decline) {
    const round = this.current?.round ?? null;
    const plan = round ? { ...this.state.plan, round } : await workOut("plan", this.state.plan, decline);
    return { ...plan, corrections: [], last_round: null };
  }

  /** Start the planned round here; `start` is what would start it at the house, with its key. */
  async start(plan, start) {
    const round = { ...await workOut("begin", plan, start.pair_stakes ?? []), id: `here-${start.key}` };
    this.state.plan = plan;
    this.state.rounds.push({ ...this.played(round, start), down: plan.down?.ends_at ?? null });
    this.save();
    this.hurry();
    return round;
  }

  /** The round that is played is over: it came to this answer here. Gives it with its answer, or null: it went to the house. */
  async settle(hands, key, answer) {
    const played = this.current;
    const plan = await workOut("after", this.state.plan, played.round, answer);
    if (this.current !== played) return null; // the house has come back meanwhile and has the round
    Object.assign(played, { settle: { key, hands }, shown: answer });
    Object.assign(this.state, { plan, last: { ...played.round, settlement: { ...answer, here: true } } });
    this.save();
    this.hurry();
    return this.state.last;
  }

  async attempt() {
    const played = this.state.rounds[0];
    if (played.refused) {
      const differs = await this.tellFloor(played, played.refused);
      if (!differs) {
        this.next(); // somebody else settled it, to the same amounts
        return;
      }
      played.isTold = true;
      this.save();
      this.tell.refused(played);
      return;
    }
    if (played.id === null) {
      const dealt = await startRound(this.session, played.start);
      Object.assign(played, { id: dealt.id, dealt });
      this.save();
    }
    if (!played.settle) {
      this.end(played);
      return;
    }
    const round = await settle(played.id, played.settle);
    const otherwise = isOtherwise(played.shown, round.settlement);
    if (otherwise || isLate(played)) await this.tellFloor(played, "");
    this.tell.settled(played, round, otherwise);
    this.next();
  }

  /** The first round is done with: go on with the one behind it. */
  next() {
    this.failures = 0;
    this.state.rounds.shift();
    this.save();
    if (this.waiting) this.hurry();
    else this.end(null);
  }

  end(played) {
    this.cancel();
    this.state = null;
    this.save();
    this.tell.over(played?.dealt ?? null, played);
  }

  /** Tell the floor; gives whether there is anything to tell. */
  async tellFloor(played, why) {
    try {
      const { dispute } = await reportDiscrepancy(this.session, { key: played.told, number: played.round.number, round: played.id, played_at: isLate(played) ? hourAndMinute(played.at) : "", played_by: played.settle?.played_by ?? played.start?.played_by ?? null, net: Object.entries(played.shown?.net ?? {}).map(([seat, amount]) => ({ seat: Number(seat), amount })), why });
      return dispute !== null;
    } catch (error) {
      if (!(error instanceof Refusal) || error.signedOut) throw error; // what the house refuses here, nobody can send again
      return true;
    }
  }

  refused(refusal) {
    if (refusal.signedOut) this.tell.away(refusal);
    else {
      this.state.rounds[0].refused = refusal.message.slice(0, LONGEST);
      this.save();
      this.hurry();
    }
  }

  /** The dealer says so: send the refused round again, or go on without it. */
  again() {
    Object.assign(this.state.rounds[0], { refused: null, isTold: false, told: newKey() });
    this.save();
    this.hurry();
  }
}

/** Whether the house settled for anybody another amount than was shown here. */
const isOtherwise = (shown, settled) =>
  Object.keys({ ...shown.net, ...settled.net }).some((seat) => shown.net[seat] !== settled.net[seat]);

/** Whether the house started it in a later down than it was played in: its fees follow the later one (R61). */
const isLate = ({ at, down }) => Boolean(down) && at < Date.parse(down) && serverNow() >= Date.parse(down);

/** Keeps the entry of a round that the house has not started on this tablet alone, and has it worked out here. */
export class TabletSaver extends Saver {
  async attempt() {
    const draft = asDraft(this.entry);
    try {
      const check = await workOut("check", this.dealt, draft);
      if (!this.stopped) this.tell.workedOut(check, draft);
    } finally {
      if (!sameDraft(draft, asDraft(this.entry))) this.changed(); // on the way
    }
  }

  /** It waits for the house as long as it is not confirmed. */
  failed() {
    this.tell.away();
  }
}
