// The next round until it has started, on the dealer's page and in the floor's desk: the plan that the house makes of what
// is chosen, and starting it once, whatever the network does.

import { heardTime } from "../clock.js";
import { t } from "../language.js";
import { isPressed } from "../pieces.js";
import { getPlan, Refusal, startRound } from "./api.js";
import { Choices } from "./choices.js";
import { isTablet } from "./keep.js";
import { note, sayAway, sayRefused, unsay } from "./notices.js";
import { makePlan } from "./plan.js";
import { Act } from "./sending.js";

const RELEASE = 50; // milliseconds after which it is looked again whether a finger has gone

export class Starting {
  /**
   * `heard(plan)` shows a plan that has come, `failed(error)` says why none has (a Refusal, or anything else for no answer),
   * `started(round)` goes on with the round. With an `outage` a round can start while the house is away; `playOn()` is what
   * somebody presses for that.
   */
  constructor(session, { heard, failed, started, outage = null, playOn = () => null }) {
    Object.assign(this, { session, heard, failed, started, outage, playOn });
    this.choices = new Choices();
    this.act = new Act(`start:${session}`);
    this.plan = null;
    this.used = null;
    this.view = null;
    this.asking = 0;
  }

  /** Ask for the plan and have it shown. Later questions overtake earlier ones. */
  async refresh() {
    const mine = ++this.asking;
    const { choices } = this;
    try {
      const plan = await this.ask();
      if (mine !== this.asking) return;
      if (!choices.agreementHolds(plan)) {
        choices.twoHands.clear(); // they agreed with somebody who is not dealt in now, or somebody else is
        note(t("The players who are dealt in have changed: two hands each must be agreed again."), "warn");
        this.refresh();
        return;
      }
      if (!this.outage?.on) {
        unsay("away");
        unsay("signed-out");
        heardTime(plan.now);
      }
      this.plan = plan;
      await this.heard(plan);
    } catch (error) {
      this.failed(error);
    }
  }

  /** The plan as it is now: the house's, or this tablet's own while the house is away. */
  ask() {
    const { choices } = this;
    if (this.outage?.on) return this.outage.plan([...choices.decline]);
    return getPlan(this.session, [...choices.decline], [...choices.cash], choices.bothAgreed);
  }

  /** Show the newest plan in `stage`. */
  show(stage) {
    if (!this.view) {
      this.view = makePlan({
        decline: (seat, on) => this.choose("decline", seat, on),
        cash: (seat, on) => this.choose("cash", seat, on),
        twoHands: (seat, on) => this.choose("twoHands", seat, on),
        reserved: (on) => this.decide(() => { this.choices.reserved = on; }),
        agree: (pair, limit) => this.decide(() => this.choices.agree(this.plan, pair, limit)),
        matchStake: (stake) => this.decide(() => { this.choices.matchStake = stake; }),
        start: () => this.start(),
      });
      stage.replaceChildren(this.view.element);
    }
    this.update();
  }

  /** Something else takes the view's place. */
  hide() {
    this.view = null;
  }

  /** A button that is replaced between down and up is never pressed, so the newest plan waits for the finger to go. */
  update() {
    clearTimeout(this.waits);
    if (isPressed()) this.waits = setTimeout(() => this.update(), RELEASE);
    else if (this.view && this.plan) this.view.update(this.plan, this.choices);
  }

  choose(kind, seat, on) {
    if (on) this.choices[kind].add(seat);
    else this.choices[kind].delete(seat);
    this.refresh();
  }

  /** What needs no new plan. */
  decide(change) {
    change();
    this.update();
  }

  async start() {
    const { choices, plan } = this;
    if (choices.sending || plan === this.used) return;
    const content = choices.content(plan);
    const said = JSON.stringify([content, plan.number]);
    // The same choice without an answer is the same act; another choice is another.
    if (this.act.pending?.said !== said) this.act.begin({ said });
    choices.sending = true;
    this.update();
    try {
      const start = { key: this.act.pending.key, ...content };
      const round = this.outage?.on ? await this.outage.start(plan, start) : await startRound(this.session, start);
      this.act.over();
      isTablet(this.session);
      this.asking += 1; // an answer under way knows nothing of this round
      this.used = plan; // its button may stay in view for a moment, and a second tap can still reach it
      this.started(round);
    } catch (error) {
      if (error instanceof Refusal) {
        this.act.over();
        sayRefused(error);
      } else sayAway(t("Nobody knows yet whether the round has started. Press the button again: it starts once."), this.playOnActions());
      this.refresh();
    } finally {
      choices.sending = false;
      this.update();
    }
  }

  playOnActions() {
    const playOn = this.playOn();
    return playOn ? [{ words: t("Play on without the house"), primary: true, act: () => {
      playOn();
      this.start();
    } }] : [];
  }
}
