// A running round on the tablet: entering hands, seeing what they come to, confirming. The controller of that view;
// what is where is entry.js, what is kept is saver.js, what is sent once is confirming.js.

import { makeActs } from "./acts.js";
import { Confirming } from "./confirming.js";
import { h, icon } from "./dom.js";
import { asDraft, cardsIn, isComplete, makeEntry, sameCards, sameDraft, step } from "./entry.js";
import { makeHands } from "./hands.js";
import { drop, dropOthers, keep, kept } from "./keep.js";
import { matchNote, settledWords } from "./match.js";
import { note, say, sayAway, sayRefused, unsay } from "./notices.js";
import { makePad } from "./pad.js";
import { outcome, payments } from "./review.js";
import { Saver } from "./saver.js";
import { listenForKeys } from "./typing.js";
import { counted, sentence } from "./words.js";

export class RoundDesk {
  /** `leave(settledRound|null, sentence)` is called once the round is over, here or elsewhere. */
  constructor(stage, round, leave) {
    this.stage = stage;
    this.round = round;
    this.leave = leave;
    this.check = null;
    this.checked = null;
    this.reviewing = false;
    this.padWanted = false;
    this.entry = makeEntry(round, round.draft?.hands);
    this.saver = new Saver(round.id, this.entry, round.draft_version, this.savingTells());
    this.confirming = new Confirming(round.id, this.confirmingTells());
    this.build();
    this.recall();
    this.stopKeys = listenForKeys(this);
    this.update();
    if (this.confirming.pending) this.resend();
  }

  // --- what is kept -----------------------------------------------------------------------------------------

  /** Take up what this tablet still holds of the round and the house has not got. */
  recall() {
    dropOthers("round", this.round.id);
    dropOthers("settle", this.round.id);
    const local = kept(`round:${this.round.id}`);
    const theirs = this.round.draft?.hands ?? [];
    if (local?.dirty && !sameDraft(local.hands, theirs)) {
      this.refill(local.hands);
      if (local.base === this.round.draft_version || !theirs.length) this.saver.changed();
      else {
        this.saver.dirty = true;
        this.saver.stop();
        this.disagree({ error: "", version: this.round.draft_version, draft: this.round.draft });
      }
      return;
    }
    if (this.round.check) this.learn(this.round.check, theirs);
    else if (theirs.length) this.saver.changed();
  }

  /** Put other hands in place of the entry. */
  refill(hands) {
    Object.assign(this.entry, makeEntry(this.round, hands));
  }

  /** Whether something here is not with the house yet. */
  get unsaved() {
    return this.saver.dirty || Boolean(this.confirming.pending);
  }

  /** The house was asked again: take over what is newer there, if nothing here waits to be sent. */
  heard(round) {
    this.round.times = round.times;
    this.hands.update(this.entry, this.says);
    if (this.unsaved || this.saver.busy || round.draft_version <= this.saver.version) return;
    this.saver.version = round.draft_version;
    this.refill(round.draft.hands);
    if (round.check) this.learn(round.check, round.draft.hands);
    note("Cards were entered on another tablet; they are shown here now.");
    this.update();
  }

  hurry() {
    this.saver.hurry();
    this.confirming.hurry();
  }

  close() {
    this.saver.stop();
    this.stopKeys();
    clearTimeout(this.confirming.timer);
    for (const name of ["away", "conflict", "refused", "signed-out"]) unsay(name);
  }

  // --- what the house says ----------------------------------------------------------------------------------

  savingTells() {
    return {
      saving: () => this.showKept("saving"),
      saved: (check, draft) => {
        unsay("away");
        unsay("refused");
        unsay("signed-out");
        this.learn(check, draft);
        this.showKept("saved");
        this.update();
      },
      away: () => {
        this.showKept("away");
        sayAway("What you enter is kept on this tablet and sent by itself as soon as the house answers.");
      },
      conflict: (body) => this.disagree(body),
      gone: (refusal) => this.over(null, refusal.message),
      refused: (refusal) => sayRefused(refusal),
    };
  }

  confirmingTells() {
    return {
      sending: () => this.update(),
      away: () => {
        sayAway("Your confirmation is kept on this tablet and sent again by itself. It counts once, however often it is sent.");
        this.update();
      },
      settled: (round) => this.over(round, settledWords(round)),
      refused: (refusal) => this.refusedToSettle(refusal),
    };
  }

  refusedToSettle(refusal) {
    if (refusal.code === "already_settled" || refusal.code === "round_void") {
      this.over(null, refusal.message);
      return;
    }
    sayRefused(refusal);
    if (!refusal.signedOut) {
      this.saver.stopped = false;
      this.reviewing = false;
      this.saver.hurry();
    }
    setTimeout(() => this.update());
  }

  learn(check, draft) {
    this.check = check;
    this.checked = draft;
  }

  /** What the rules say of each hand, where it still lies as it was judged. */
  get says() {
    const now = asDraft(this.entry);
    return this.entry.hands.map((hand, at) => {
      const then = this.checked?.find((one) => one.seat === hand.seat && (one.position ?? hand.position) === hand.position);
      if (!then || !sameCards(then, now[at])) return null;
      return this.check.hands.find((one) => one.seat === hand.seat && (one.position ?? hand.position) === hand.position) ?? null;
    });
  }

  /** What keeps the hands from being settled: of the whole round, or of one hand. */
  get refusal() {
    return this.check?.error ?? this.check?.hands.find((hand) => hand.error)?.error ?? null;
  }

  /** What the review answers: in a race nobody pays before the match is won (R42). */
  get question() {
    return this.round.sheet.race_to ? "what it scores" : "who pays whom";
  }

  /** The answer for exactly what lies there now, or null. */
  get answer() {
    return this.check?.score && this.checked && sameDraft(this.checked, asDraft(this.entry)) ? this.check.score : null;
  }

  disagree(body) {
    const who = body.by ? `by ${body.by}` : "on another tablet";
    this.showKept("conflict");
    say("conflict", {
      level: "warn",
      title: `This round was changed ${who} meanwhile`,
      text: `There: ${counted(cardsIn(body.draft?.hands), "card")}. Here: ${counted(cardsIn(asDraft(this.entry)), "card")}. Nothing of yours is lost until you choose.`,
      actions: [
        { words: "Show theirs", act: () => this.takeTheirs(body) },
        { words: "Keep mine", primary: true, act: () => {
          unsay("conflict");
          this.saver.dirty = true;
          this.saver.resume(body.version);
        } },
      ],
    });
  }

  takeTheirs(body) {
    unsay("conflict");
    keep(`set-aside:${this.round.id}`, { hands: asDraft(this.entry) });
    this.refill(body.draft.hands);
    this.saver.dirty = true; // asked once more, for what the rules say of it
    this.saver.resume(body.version);
    this.update();
  }

  over(round, sentence) {
    drop(`round:${this.round.id}`);
    drop(`set-aside:${this.round.id}`);
    this.close();
    this.leave(round, sentence);
  }

  // --- what the dealer does ---------------------------------------------------------------------------------

  changed() {
    this.padWanted = this.padWanted && isComplete(this.entry);
    this.saver.changed();
    this.update();
  }

  field() {
    return this.hands.field(this.entry.hand);
  }

  idle() {
    return this.reviewing || Boolean(this.confirming.pending);
  }

  enter() {
    if (this.answer) this.review(true);
    else if (!isComplete(this.entry)) {
      step(this.entry, 1);
      this.update();
      this.field().focus({ preventScroll: true });
    }
  }

  help() {
    document.getElementById("help").showModal();
  }

  review(on) {
    this.reviewing = on;
    this.update();
    if (on) this.stage.querySelector(".view-title")?.focus();
    window.scrollTo(0, 0);
  }

  confirm() {
    if (!this.answer || this.confirming.busy) return;
    this.saver.stop();
    this.confirming.confirm(asDraft(this.entry));
  }

  /** A confirmation of before has no answer yet: show its hands, and send it again. */
  resend() {
    this.refill(this.confirming.pending.hands);
    this.saver.stop();
    this.update();
    this.confirming.hurry();
  }

  // --- what is shown ----------------------------------------------------------------------------------------

  build() {
    const acts = makeActs(this);
    this.hands = makeHands(this.round, acts);
    this.pad = makePad(acts);
    this.ready = h("section", { class: "ready", "aria-label": "What the round comes to" });
    this.reviewArea = h("section", { class: "review" });
    this.kept = document.getElementById("kept");
    this.element = h("div", { class: "deal" }, this.hands.element, this.pad.element, this.ready, this.reviewArea);
    this.stage.replaceChildren(this.element);
  }

  showKept(state) {
    this.kept.dataset.state = state;
    this.kept.textContent = { saving: "Saving", saved: "Saved", away: "Kept on this tablet", conflict: "Choose an entry" }[state];
  }

  update() {
    const complete = isComplete(this.entry);
    const pending = Boolean(this.confirming.pending);
    const review = pending || (this.reviewing && complete);
    this.hands.update(this.entry, this.says);
    this.pad.update(this.entry);
    this.element.dataset.view = review ? "review" : "entry";
    this.hands.element.hidden = review;
    this.pad.element.hidden = review || (complete && !this.padWanted);
    this.ready.hidden = review || !complete || this.padWanted;
    this.reviewArea.hidden = !review;
    if (!this.ready.hidden) this.ready.replaceChildren(...this.readyBar());
    if (review) this.reviewArea.replaceChildren(...this.reviewPage(pending));
  }

  readyBar() {
    const answer = this.answer;
    const error = !answer && sameDraft(this.checked, asDraft(this.entry)) ? this.refusal : null;
    const padAgain = h("button", { class: "button", type: "button", on: { click: () => {
      this.padWanted = true;
      this.update();
    } } }, "Show the pad");
    if (error) {
      return [h("div", { class: "alert alert--bad", role: "alert" }, icon("alert"), h("div", {}, h("h2", {}, "This cannot be settled as it is entered"), h("p", {}, sentence(error.error))), h("code", {}, error.code)), padAgain];
    }
    if (!answer) return [h("p", { class: "soft", role: "status" }, `All cards are in. The house works out ${this.question}\u2026`), padAgain];
    return [
      outcome(this.round, answer),
      h("div", { class: "ready-actions" }, padAgain,
        h("button", { class: "button button--primary button--big grow", type: "button", on: { click: () => this.review(true) } }, sentence(this.question), icon("next"))),
    ];
  }

  reviewPage(pending) {
    const answer = this.answer;
    const title = h("h2", { class: "view-title", tabindex: "-1" }, pending ? `Confirming round ${this.round.number}` : `Round ${this.round.number}: ${this.question}`);
    if (!answer) return [title, h("p", { role: "status" }, "The confirmation of this round is on its way. It counts once.")];
    return [
      title,
      h("div", { class: "review-body" }, outcome(this.round, answer), answer.score ? matchNote(this.round, answer) : payments(this.round, answer)),
      h("div", { class: "review-actions" },
        h("button", { class: "button button--big", type: "button", disabled: pending, on: { click: () => this.review(false) } }, icon("back"), "Cards"),
        h("button", {
          class: "button button--primary button--big grow", type: "button", id: "confirm",
          "aria-disabled": pending ? "true" : null, "aria-busy": pending ? "true" : null, on: { click: () => this.confirm() },
        }, pending ? null : icon("check"), pending ? "Sending" : `Confirm round ${this.round.number}`)),
    ];
  }
}
