// A wrong card in a settled round: the hands once more with what the rules say of them, the new result, a reason, and the
// question to the floor, who alone may approve. What was entered is kept until it was asked.

import { makeActs } from "./acts.js";
import { askCorrection, checkCorrection, Refusal } from "./api.js";
import { awaitDecision } from "./decisions.js";
import { focusNext, h, icon, spoken } from "./dom.js";
import { asDraft, bySeat, fillLast, isComplete, makeEntry, sameCards, sameDraft, step } from "./entry.js";
import { makeHands } from "./hands.js";
import { drop, keep, keptHere } from "./keep.js";
import { t } from "../language.js";
import { note, sayAway, sayRefused, unsay } from "./notices.js";
import { makePad } from "./pad.js";
import { namesOf, outcome, payments } from "./review.js";
import { Act } from "./sending.js";
import { listenForKeys } from "./typing.js";
import { cents, REASON_LENGTH, sentence, signedDollars } from "./words.js";

const PAUSE = 150;
const AGAIN = 2000;

/** The correction that was begun at a table and not asked: {round, number, hands, reason}, or null. */
export const begun = (session) => keptHere(`correction:${session}`)?.value ?? null;

export class CorrectionDesk {
  /** `round` is settled; `leave()` goes back between rounds. */
  constructor(stage, round, leave) {
    this.stage = stage;
    this.round = { ...round, hands: bySeat(round.hands) };
    this.leave = leave;
    this.before = round.settlement.entered;
    const before = begun(round.session);
    const again = before?.round === round.id ? before : null;
    this.entry = makeEntry(this.round, again?.hands ?? this.before);
    this.act = new Act();
    this.asked = null;
    this.check = null;
    this.checked = null;
    this.asking = 0;
    this.build(again?.reason ?? "");
    this.stopKeys = listenForKeys(this);
    this.update();
    this.judge(0);
  }

  close() {
    this.stopKeys();
    clearTimeout(this.timer);
    this.asking += 1;
    unsay("refused");
    unsay("away");
  }

  hurry() {
    this.judge(0);
  }

  get unsaved() {
    return true;
  }

  /** Whether something was entered that nobody has been asked for. */
  get open() {
    return !this.asked && !sameDraft(this.before, asDraft(this.entry));
  }

  field() {
    return this.hands.field(this.entry.hand);
  }

  idle() {
    return Boolean(this.asked);
  }

  enter() {
    if (isComplete(this.entry)) {
      focusNext(this.reason);
      return;
    }
    if (fillLast(this.entry)) this.changed();
    else step(this.entry, 1);
    this.update();
  }

  help() {
    document.getElementById("help").showModal();
  }

  changed() {
    this.keepHere();
    this.update();
    this.judge(PAUSE);
  }

  keepHere() {
    const { id, number, session } = this.round;
    if (this.open) keep(`correction:${session}`, { round: id, number, hands: asDraft(this.entry), reason: this.reason.value });
    else if (begun(session)?.round === id) drop(`correction:${session}`);
  }

  // --- what the rules say -------------------------------------------------------------------------------------

  /** Ask what the rules say of what lies there, in a moment. */
  judge(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.learn(), wait);
  }

  async learn() {
    const mine = ++this.asking;
    const hands = asDraft(this.entry);
    try {
      const check = await checkCorrection(this.round.id, { hands });
      if (mine !== this.asking || this.asked) return;
      unsay("away");
      Object.assign(this, { check, checked: hands });
      this.update();
    } catch (error) {
      if (mine !== this.asking || this.asked) return;
      if (error instanceof Refusal) sayRefused(error);
      else {
        sayAway(t("What you entered is kept on this tablet. The new result is shown once the house answers."));
        this.judge(AGAIN);
      }
    }
  }

  get says() {
    const now = asDraft(this.entry);
    return this.entry.hands.map((hand, at) => {
      const of = (one) => one.seat === hand.seat && (one.position ?? hand.position) === hand.position;
      const then = this.checked?.find(of);
      return then && sameCards(then, now[at]) ? this.check.hands.find(of) ?? null : null;
    });
  }

  /** What the rules say of exactly what lies there, or null. */
  get judged() {
    return this.check && sameDraft(this.checked, asDraft(this.entry)) ? this.check : null;
  }

  // --- what is shown ------------------------------------------------------------------------------------------

  build(reason) {
    this.acts = makeActs(this);
    this.hands = makeHands(this.round, this.acts, false);
    this.pad = makePad(this.acts);
    this.reason = h("input", { class: "input", id: "correction-reason", type: "text", maxlength: REASON_LENGTH, autocomplete: "off", on: { input: () => {
      this.keepHere();
      this.update();
    } } });
    this.reason.value = reason;
    this.ask = h("button", { class: "button button--primary button--big grow", type: "button", on: { click: () => this.send() } });
    this.result = h("div", { class: "settle correction-result", role: "status" });
    const head = h("header", { class: "correction" },
      h("div", { class: "grow" }, h("h2", { class: "view-title", tabindex: "-1" }, t("Correct round {number}", { number: this.round.number })),
        h("p", { class: "soft small" }, t("Take back the wrong card and lay the right one. Nothing changes before the floor approves."))),
      h("button", { class: "button", type: "button", on: { click: () => this.drop() } }, icon("cross"), t("Leave")));
    this.form = h("section", { class: "ready", "aria-label": t("Ask the floor") },
      h("div", { class: "field" }, h("label", { for: "correction-reason" }, t("Reason")), this.reason),
      h("div", { class: "quick" }, Object.entries(reasons()).map(([said, words]) =>
        h("button", { class: "button", type: "button", "data-fill": "correction-reason", "data-with": said }, words))));
    this.bar = h("div", { class: "settle-actions" }, this.ask);
    this.element = h("div", { class: "deal deal--correction" }, head, this.hands.element, this.pad.element, this.result, this.form, this.bar);
    this.stage.replaceChildren(this.element);
    head.querySelector(".view-title").focus({ preventScroll: true });
  }

  /** The dealer leaves the page: what was entered is dropped. */
  drop() {
    if (begun(this.round.session)?.round === this.round.id) drop(`correction:${this.round.session}`);
    this.leave();
  }

  update() {
    const complete = isComplete(this.entry);
    const error = this.judged ? this.judged.error ?? this.judged.hands.find((hand) => hand.error)?.error : null;
    this.hands.update(this.entry, this.says);
    this.pad.update(this.entry);
    this.pad.element.hidden = complete;
    this.form.hidden = !complete;
    this.bar.hidden = !complete;
    this.result.hidden = !complete || !this.open;
    if (!this.result.hidden) this.showResult(error);
    const missing = !this.open ? t("Change something first") : error ? t("This cannot be settled") : !this.reason.value.trim() ? t("Give a reason") : "";
    this.ask.textContent = missing || t("Ask the floor");
    this.ask.disabled = Boolean(missing) || this.busy;
  }

  /** The result that the floor would be asked for, or what keeps the cards from having one. */
  showResult(error) {
    const judged = this.judged;
    if (error) this.result.replaceChildren(h("p", { class: "payment-cut" }, icon("alert"), h("span", {}, sentence(error.error))));
    else if (judged?.score) {
      const answer = judged.score;
      this.result.replaceChildren(h("h3", {}, t("What the floor is asked for")), differences(namesOf(this.round, answer), judged.difference), after(this.round, answer));
    } else this.result.replaceChildren(h("p", { class: "soft" }, t("The house works out the new result\u2026")));
  }

  async send() {
    if (this.busy) return;
    const hands = asDraft(this.entry);
    const reason = this.reason.value.trim();
    const before = this.act.pending;
    if (before?.reason !== reason || !sameDraft(before.hands, hands)) this.act.begin({ hands, reason });
    this.busy = true;
    this.ask.disabled = true;
    try {
      const asked = await askCorrection(this.round.id, this.act.pending);
      unsay("away");
      this.show(asked);
    } catch (error) {
      if (error instanceof Refusal) sayRefused(error);
      else sayAway(t("Not sent. Press again, it counts once."));
    } finally {
      this.busy = false;
      if (this.element.isConnected) this.update();
    }
  }

  show(asked) {
    this.asked = asked;
    awaitDecision(this.round.session, asked.id);
    drop(`correction:${this.round.session}`);
    note(t("The floor has been asked."), "good");
    this.stage.replaceChildren(h("section", { class: "review" },
      h("h2", { class: "view-title", tabindex: "-1" }, t("Waiting for the floor")),
      h("p", {}, t("Round {number}: \u201c{reason}\u201d. Chips move only once somebody else has approved it.", { number: this.round.number, reason: asked.reason })),
      differences(namesOf(this.round, asked.preview), asked.difference), after(this.round, asked.preview),
      h("div", { class: "review-actions" }, h("button", { class: "button button--primary button--big grow", type: "button", on: { click: () => this.leave() } }, icon("check"), t("Go on with the next round")))));
    focusNext(this.stage.querySelector(".review-actions button"));
  }

  /** The house was asked again: a decision on what was asked here ends the waiting. */
  heard(corrections) {
    const mine = corrections.find((one) => one.id === this.asked?.id);
    if (mine && mine.state !== "asked") this.leave();
  }
}

/** Reasons that are often given: English, as they are recorded, with the words of their buttons. */
const reasons = () => ({
  "Wrong card": t("Wrong card"), "Wrong suit": t("Wrong suit"),
  "Two cards swapped": t("Two cards swapped"), "Declaration missed": t("Declaration missed"),
});

/** What each seat would have more or less than now. */
function differences(names, difference) {
  return h("ul", { class: "nets" }, Object.entries(difference).map(([seat, text]) => {
    const amount = cents(text);
    return h("li", { class: `net${amount > 0 ? " net--up" : amount < 0 ? " net--down" : ""}` },
      h("p", { class: "net-who" }, h("span", { class: "seat-no" }, spoken(t("Seat ")), seat), h("span", { class: "net-name" }, names[seat])),
      h("p", { class: "net-amount" }, signedDollars(amount)), h("p", { class: "net-note" }, t("difference")));
  }));
}

/** The whole result as it would be afterwards. */
function after(round, answer) {
  return h("details", { class: "more", open: Boolean(answer.score) }, h("summary", {}, answer.score ? t("What the round would score") : t("How the round would be paid")),
    answer.score ? outcome(round, answer) : payments(round, answer));
}
