// While the house is away: what the page says of it, what it shows from before, and the way into playing on without it and
// back.

import { hourAndMinute, isFromBefore, serverNow } from "../clock.js";
import { t } from "../language.js";
import { badge, h } from "./dom.js";
import { drop, keep, kept } from "./keep.js";
import { keepFiles, keepPage } from "./keeping.js";
import { note, say, sayRefused, unsay } from "./notices.js";
import { Outage } from "./outage.js";
import { namesOf, outcome, payments } from "./review.js";
import { canRun, loadRules, loadWhileIdle, RULES_FILES } from "./rules.js";
import { counted, dollars, cents, named } from "./words.js";

const AGAIN = 1000;

export class Away {
  /**
   * @param {string} session
   * @param {object} page has: plan(), changed(), over(round|null): the round that is played right now, as the house has it
   */
  constructor(session, page) {
    this.page = page;
    this.place = `table:${session}`;
    this.isBefore = false; // whether the plan is what the house said before the page was opened
    this.outage = new Outage(session, {
      away: (refusal) => {
        if (refusal) sayRefused(refusal);
        this.show();
      },
      settled: (played, round, otherwise) => this.settled(played, round, otherwise),
      refused: (played) => this.showRefused(played),
      over: (round, played) => this.end(round, played),
    });
  }

  /** The page has just been opened. */
  begin() {
    if (!canRun) this.sayTooOld();
    if (this.outage.left) this.showLeft(this.outage.left);
    if (!this.outage.on) return;
    loadRules();
    this.show();
    this.outage.hurry();
  }

  sayTooOld() {
    if (kept("too-old")) return;
    say("too-old", {
      title: t("This tablet cannot play on without the network"),
      text: t("Its browser does not run the rules. If the network goes, it notes the cards of the running round, and no result; the next round waits."),
      actions: [{ words: t("Understood"), act: () => keep("too-old", true) && unsay("too-old") }],
    });
  }

  // --- what the house said ----------------------------------------------------------------------------------

  /** The house has answered: keep what it said, the page, and the rules that go with it. */
  heard(plan) {
    this.isBefore = false;
    unsay("before");
    keep(this.place, plan);
    keepPage();
    this.loading ??= loadWhileIdle(() => keepFiles(RULES_FILES));
    if (isFromBefore) setTimeout(() => location.reload(), AGAIN); // what is kept here alone is taken up again there
  }

  /** What it said last on this tablet, or null; shown with its time, and never as if it were so now. */
  before() {
    const plan = kept(this.place);
    if (!plan) return null;
    this.isBefore = true;
    loadRules();
    say("before", {
      level: "warn", title: t("This is how it was at {time}", { time: hourAndMinute(Date.parse(plan.now)) }),
      text: t("The house does not answer. Chips and seats may have changed since. What you enter is kept on this tablet."),
    });
    return plan;
  }

  // --- playing on -------------------------------------------------------------------------------------------

  /** What begins to play on without the house, in this round or before the next; null where it cannot be. */
  playOn(round = null) {
    const plan = this.page.plan();
    if (!canRun || !plan || plan.sheet.race_to || round?.reserved_from) return null;
    return () => {
      unsay("away");
      unsay("before");
      this.outage.begin(plan, round);
      this.show();
    };
  }

  show() {
    if (!this.outage.on) return;
    const { state, waiting } = this.outage;
    say("outage", {
      level: "warn", title: t("Played without the house since {time}", { time: hourAndMinute(serverNow() - (Date.now() - state.since)) }),
      text: t("The network or the server does not answer. Cards, results and the next round go on here; chips, fees, two hands each, misdeals and pushes wait. To be sent, in order: {rounds}.", { rounds: counted(waiting, "round") }),
    });
  }

  /** The round before, as it came out here. */
  lastRound(round) {
    return h("section", { class: "panel stack", "aria-labelledby": "last-round" },
      h("div", { class: "row row--apart" }, h("h2", { id: "last-round" }, t("Round {number}", { number: round.number })), badge(t("Worked out here, not settled yet"), "warn", "clock")),
      outcome(round, round.settlement), payments(round, round.settlement));
  }

  // --- back -------------------------------------------------------------------------------------------------

  settled(played, round, otherwise) {
    if (!otherwise) return;
    const names = namesOf(round, round.settlement);
    const differs = Object.keys(names).filter((seat) => played.shown.net[seat] !== round.settlement.net[seat]);
    const said = differs.map((seat) => t("{name} {amount}, shown here {shown}", { name: names[seat], amount: this.amount(round.settlement.net[seat]), shown: this.amount(played.shown.net[seat]) }));
    say(`otherwise-${round.id}`, {
      level: "bad", title: t("The house settled round {number} otherwise", { number: round.number }),
      text: t("{results}. The floor has been told. Put the chips right with them.", { results: said.join("; ") }),
      actions: [{ words: t("Understood"), act: () => unsay(`otherwise-${round.id}`) }],
    });
  }

  amount(net) {
    return net === undefined ? t("nothing") : dollars(cents(net));
  }

  showRefused(played) {
    const { number } = played.round;
    const go = (act) => () => {
      unsay("not-taken");
      act();
      this.show();
    };
    say("not-taken", {
      level: "bad", title: t("The house does not take round {number} as it was played here", { number }),
      text: t("{refusal} The floor has been told, with what was shown here. What follows waits.", { refusal: played.refused }),
      actions: [{ words: t("Leave it to the floor"), act: go(() => this.outage.next()) }, { words: t("Send it again"), primary: true, act: go(() => this.outage.again()) }],
    });
  }

  showLeft(left) {
    const who = named(left.name);
    say("left-rounds", {
      level: "warn", title: t("{rounds} of {name}, played here without the house", { rounds: counted(left.value.rounds.length, "round"), name: who }),
      text: t("The house has not got them. Nothing is recorded under your name until you press."),
      actions: [{ words: t("Send them"), primary: true, act: () => {
        this.outage.takeUp();
        unsay("left-rounds");
        this.show();
        this.page.changed();
      } }],
    });
  }

  end(round, played) {
    unsay("outage");
    unsay("not-taken");
    note(t("The house answers again. It has every round that was played here."), "good");
    if (round) this.carryOver(round, played);
    this.page.over(round);
  }

  /** The round that is played right now has its number with the house: its cards go there too. */
  carryOver(round, played) {
    const here = `round:${played.round.id}`;
    const draft = kept(here);
    if (draft) keep(`round:${round.id}`, { base: round.draft_version, hands: draft.hands, dirty: true });
    drop(here);
  }
}
