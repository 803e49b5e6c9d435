// A running round on the tablet: entering hands, seeing what they come to, confirming. The controller of that view;
// what is where is entry.js, what is kept is saver.js, what is sent once is confirming.js.

import { makeActs } from "./acts.js";
import { Confirming } from "./confirming.js";
import { badge, focusNext, h, icon } from "./dom.js";
import { asDraft, bySeat, cardsIn, filledOf, fillLast, isComplete, makeEntry, sameCards, sameDraft, step } from "./entry.js";
import { makeHands } from "./hands.js";
import { drop, dropOthers, keep, kept, keptByAnother } from "./keep.js";
import { t, tn } from "../language.js";
import { matchNote, settledWords } from "./match.js";
import { note, say, sayAway, sayRefused, unsay } from "./notices.js";
import { TabletSaver } from "./outage.js";
import { makePad } from "./pad.js";
import { moved, payments } from "./review.js";
import { workOut } from "./rules.js";
import { Saver } from "./saver.js";
import { listenForKeys } from "./typing.js";
import { cardName, counted, dollars, named, placeName, sentence } from "./words.js";

export class RoundDesk {
  /**
   * `leave(settledRound|null, sentence)` is called once the round is over, here or elsewhere. While the house is away
   * `outage` goes on without it; `playOn()` is what the dealer presses for that, null where this game or tablet cannot.
   */
  constructor(stage, round, { leave, outage, playOn }) {
    this.stage = stage;
    this.round = { ...round, hands: bySeat(round.hands) };
    Object.assign(this, { leave, outage, playOn });
    this.workedOut = false; // whether the answer is this tablet's own
    this.check = null;
    this.checked = null;
    this.padWanted = false;
    this.shown = null;
    this.left = null; // what another person left on this tablet, until somebody presses
    this.entry = makeEntry(this.round, round.draft?.hands);
    this.saver = this.makeSaver();
    this.confirming = new Confirming(round.id, this.confirmingTells());
    this.build();
    this.recall();
    this.stopKeys = listenForKeys(this);
    this.update();
    if (this.confirming.pending) this.resend();
  }

  /** A round that the house has not started has its draft here alone. */
  makeSaver() {
    const { id, draft_version: version } = this.round;
    if (this.outage.current?.round.id !== id) return new Saver(id, this.entry, version, this.savingTells());
    return Object.assign(new TabletSaver(id, this.entry, version, this.savingTells()), { dealt: this.round });
  }

  // --- what is kept -----------------------------------------------------------------------------------------

  /** Take up what this tablet still holds of the round and the house has not got. */
  recall() {
    dropOthers("round", this.round.id);
    dropOthers("settle", this.round.id);
    const left = this.leftHere();
    if (left) this.showLeft(left);
    else this.takeUp(kept(`round:${this.round.id}`));
  }

  /** What another person left on this tablet and the house has not got: {by, hands, base, confirmed}, or null. */
  leftHere() {
    const confirmed = keptByAnother(`settle:${this.round.id}`);
    const draft = keptByAnother(`round:${this.round.id}`);
    const base = draft?.value.base ?? null;
    if (confirmed) return { by: confirmed.name, hands: confirmed.value.hands, base, confirmed: true };
    if (!draft?.value.dirty || sameDraft(draft.value.hands, this.round.draft?.hands ?? [])) return null;
    return { by: draft.name, hands: draft.value.hands, base, confirmed: false };
  }

  /** Show it, and send nothing: it would be recorded under the name of whoever only looked. */
  showLeft(left) {
    this.left = left;
    this.refill(left.hands);
    this.saver.stop();
    const did = left.confirmed ? t("pressed Confirm for them here, and the house has not answered") : t("entered them here, and the house has not got them");
    say("left", {
      level: "warn", title: t("These are the cards of {name}", { name: named(left.by) }),
      text: t("{name} {did}. Nothing is recorded under your name until you press. Hold them against the felt.", { name: named(left.by), did }),
      actions: [
        { words: t("Leave them out"), act: () => this.settleLeft(null) },
        { words: t("Go on with these cards"), primary: true, act: () => this.settleLeft({ hands: left.hands, base: left.base, dirty: true }) },
      ],
    });
  }

  /** Somebody has pressed: go on with what was left, or with what the house has. */
  settleLeft(local) {
    this.left = null;
    unsay("left");
    drop(`settle:${this.round.id}`);
    drop(`round:${this.round.id}`);
    this.saver.stopped = false;
    if (!local) this.refill(this.round.draft?.hands ?? []);
    this.takeUp(local);
    this.update();
  }

  /** Go on with what this person has kept, else with what the house has. */
  takeUp(local) {
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
    // the house's own draft is never sent back: it would stand under the name of whoever only looks
    if (this.round.check) this.learn(this.round.check, theirs);
  }

  /** Put other hands in place of the entry. */
  refill(hands) {
    Object.assign(this.entry, makeEntry(this.round, hands));
  }

  /** Whether something here is not with the house yet. */
  get unsaved() {
    return this.saver.dirty || Boolean(this.left) || Boolean(this.confirming.pending);
  }

  /** The house was asked again: take over what is newer there, if nothing here waits to be sent. */
  heard(round) {
    this.round.times = round.times;
    this.update();
    if (this.unsaved || this.saver.busy || round.draft_version <= this.saver.version) return;
    this.saver.version = round.draft_version;
    this.refill(round.draft.hands);
    if (round.check) this.learn(round.check, round.draft.hands);
    note(t("Cards were entered on another tablet; they are shown here now."));
    this.update();
  }

  hurry() {
    this.saver.hurry();
    this.confirming.send();
  }

  close() {
    this.saver.stop();
    this.stopKeys();
    this.confirming.cancel();
    for (const name of ["away", "conflict", "refused", "signed-out", "left"]) unsay(name);
  }

  // --- what the house says ----------------------------------------------------------------------------------

  savingTells() {
    return {
      saving: () => this.showKept("saving"),
      saved: (check, draft) => {
        unsay("away");
        unsay("refused");
        unsay("signed-out");
        this.workedOut = false;
        this.learn(check, draft);
        this.showKept("saved");
        this.update();
      },
      workedOut: (check, draft) => this.learnHere(check, draft),
      away: () => {
        this.sayNotSent();
        this.workOutHere();
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
        sayAway(t("Your confirmation has no answer yet. This page sends it again until it has one. It counts once."), this.playOnActions());
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
      this.saver.hurry();
    }
    setTimeout(() => this.update());
  }

  /** Without the house this tablet says what the rules make of the cards; nobody settles it. */
  async workOutHere() {
    const draft = asDraft(this.entry);
    try {
      const check = await workOut("check", this.round, draft);
      if (this.saver.dirty) this.learnHere(check, draft); // else the house has answered meanwhile
    } catch {
      return; // a tablet without the rules shows the cards alone
    }
  }

  learnHere(check, draft) {
    this.workedOut = true;
    this.learn(check, draft);
    this.sayNotSent();
    this.update();
  }

  sayNotSent() {
    this.showKept("away");
    if (!this.outage.on) sayAway(this.saver.keptHere
      ? t("What you enter is kept on this tablet. This page sends it as soon as the house answers.")
      : t("This tablet keeps nothing. Leave the page open: it sends what you enter as soon as the house answers."), this.playOnActions());
  }

  /** What is offered once the house does not answer and there is a result to go on with. */
  playOnActions() {
    return this.playOn && this.answer ? [{ words: t("Play on without the house"), primary: true, act: () => this.confirmHere() }] : [];
  }

  /** The round is over for this table; the house settles it later, under the key of a confirmation that has no answer. */
  async confirmHere() {
    const { answer } = this;
    if (!answer || this.leaving) return;
    this.leaving = true;
    this.playOn(this.round);
    this.saver.stop();
    this.confirming.cancel();
    const pending = this.confirming.pending ?? this.confirming.act.begin();
    const settled = await this.outage.settle(asDraft(this.entry), pending.key, answer).catch(() => null);
    this.leaving = false;
    if (!settled) return;
    this.confirming.over();
    this.over(settled, t("Round {number} is noted on this tablet. The house settles it when it answers.", { number: this.round.number }));
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

  /** What the page of the whole round answers: in a race nobody pays before the match is won (R42). */
  get question() {
    return this.round.sheet.race_to ? t("what it scores") : t("who pays whom");
  }

  /** The answer for exactly what lies there now, or null. */
  get answer() {
    return this.check?.score && this.checked && sameDraft(this.checked, asDraft(this.entry)) ? this.check.score : null;
  }

  disagree(body) {
    const who = body.by ? t("by {name}", { name: body.by }) : t("on another tablet");
    this.showKept("conflict");
    say("conflict", {
      level: "warn",
      title: t("This round was changed {who} meanwhile", { who }),
      text: t("There: {theirs}. Here: {yours}. Nothing of yours is lost until you choose.", { theirs: counted(cardsIn(body.draft?.hands), "card"), yours: counted(cardsIn(asDraft(this.entry)), "card") }),
      actions: [
        { words: t("Show theirs"), act: () => this.takeTheirs(body) },
        { words: t("Keep mine"), primary: true, act: () => {
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

  over(round, result) {
    drop(`round:${this.round.id}`);
    drop(`set-aside:${this.round.id}`);
    this.close();
    this.leave(round, result);
  }

  // --- what the dealer does ---------------------------------------------------------------------------------

  changed() {
    this.padWanted = false;
    this.saver.changed();
    this.update();
  }

  field() {
    return this.hands.field(this.entry.hand);
  }

  idle() {
    return Boolean(this.left) || Boolean(this.confirming.pending);
  }

  enter() {
    if (isComplete(this.entry)) {
      this.padWanted = false;
      this.update();
      focusNext(this.settleArea.querySelector("#confirm"));
    } else if (fillLast(this.entry)) this.changed();
    else {
      step(this.entry, 1);
      this.update();
      this.field().focus({ preventScroll: true });
    }
  }

  help() {
    document.getElementById("help").showModal();
  }

  /** The pad again, though all cards are in. */
  showPad() {
    this.padWanted = true;
    this.update();
    this.pad.element.querySelector(".pad-swap").focus({ preventScroll: true });
  }

  confirm() {
    if (!this.answer || this.confirming.busy) return;
    if (this.outage.on) {
      this.confirmHere();
      return;
    }
    this.saver.stop();
    this.confirming.confirm(asDraft(this.entry));
  }

  /** A confirmation of before has no answer yet: show its hands, and send it again. */
  resend() {
    this.refill(this.confirming.pending.hands);
    this.saver.stop();
    this.update();
    this.confirming.send();
  }

  // --- what is shown ----------------------------------------------------------------------------------------

  build() {
    this.acts = makeActs(this);
    this.hands = makeHands(this.round, this.acts);
    this.pad = makePad(this.acts);
    this.settleArea = h("section", { class: "settle", "aria-label": t("What the round comes to") });
    this.kept = document.getElementById("kept");
    this.element = h("div", { class: "deal" }, this.hands.element, this.pad.element, this.settleArea);
    this.stage.replaceChildren(this.element);
  }

  showKept(state) {
    this.kept.dataset.state = state;
    this.kept.textContent = { saving: t("Saving"), saved: t("Saved"), away: this.saver.keptHere ? t("Kept on this tablet") : t("Not kept"), conflict: t("Choose an entry") }[state];
  }

  update() {
    const pending = Boolean(this.confirming.pending);
    const settling = pending || (!this.left && isComplete(this.entry) && !this.padWanted);
    this.hands.update(this.entry, this.says, settling ? this.answer : null);
    this.pad.update(this.entry);
    this.hands.element.inert = pending || Boolean(this.left);
    this.pad.element.hidden = settling || Boolean(this.left);
    this.settleArea.hidden = !settling;
    if (settling) this.showSettling(pending);
    else this.shown = null;
  }

  /** Show what the round comes to, unless it is shown already; the focus goes to what is next. */
  showSettling(pending) {
    const error = !this.answer && sameDraft(this.checked, asDraft(this.entry)) ? this.refusal : null;
    const shown = JSON.stringify([pending, this.answer, this.workedOut, error, filledOf(this.entry)]);
    if (this.shown === shown) return;
    this.shown = shown;
    const elsewhere = document.activeElement?.closest("dialog");
    this.settleArea.replaceChildren(...(error ? this.refusedBar(error) : this.answer ? this.settlePage(pending) : this.waitingBar(pending)));
    if (!elsewhere && (error || this.answer)) focusNext(this.settleArea.querySelector(error ? "#show-pad" : "#confirm"));
  }

  padButton(disabled = false) {
    return h("button", { class: "button button--big", type: "button", id: "show-pad", disabled, on: { click: () => this.showPad() } }, icon("back"), t("Cards"));
  }

  refusedBar(error) {
    return [h("div", { class: "alert alert--bad", role: "alert" }, icon("alert"), h("div", {}, h("h2", {}, t("This cannot be settled as it is entered")), h("p", {}, sentence(error.error))), h("code", {}, error.code)),
      h("div", { class: "settle-actions" }, this.padButton())];
  }

  waitingBar(pending) {
    if (pending) return [h("p", { role: "status" }, t("The confirmation of this round is on its way. It counts once."))];
    const who = this.outage.on ? t("All cards are in. This tablet works out {question}\u2026", { question: this.question }) : t("All cards are in. The house works out {question}\u2026", { question: this.question });
    return [h("p", { class: "soft", role: "status" }, who), h("div", { class: "settle-actions" }, this.padButton())];
  }

  settlePage(pending) {
    const { answer, round } = this;
    const filled = filledOf(this.entry);
    return [
      h("div", { class: "settle-head" },
        h("h2", { class: "view-title" }, pending ? t("Confirming round {number}", { number: round.number }) : t("Round {number}: {question}", { number: round.number, question: this.question })),
        filled ? h("p", { class: "settle-filled" }, icon("info"), h("span", {}, this.filledWords(filled))) : null),
      this.workedOut ? h("p", { class: "settle-here" }, badge(t("Worked out on this tablet, not settled yet"), "warn", "clock")) : null,
      answer.score ? matchNote(round, answer) : payments(round, answer),
      h("div", { class: "settle-actions" },
        this.padButton(pending),
        h("button", {
          class: "button button--primary button--big grow", type: "button", id: "confirm",
          "aria-disabled": pending ? "true" : null, "aria-busy": pending ? "true" : null, on: { click: () => this.confirm() },
        }, pending ? null : icon("check"), pending ? t("Sending") : t("Confirm round {number}", { number: round.number }) + this.sumWords(answer))),
    ].filter(Boolean);
  }

  /** `: $45.00 changes hands` */
  sumWords(answer) {
    if (answer.score) return "";
    const sum = moved(answer);
    return sum ? t(": {amount} changes hands", { amount: dollars(sum) }) : t(": nobody pays");
  }

  filledWords({ hand, row, cards }) {
    const where = placeName(this.entry.hands[hand], row);
    return tn(
      "The card that was left lies in {place}: {cards}.",
      "The {count} cards that were left lie in {place}: {cards}. Look whether they lie there on the felt.",
      cards.length, { place: where, cards: cards.map(cardName).join(", ") });
  }
}
