// A wrong card in a settled round: the hands once more, a reason, and the question to the floor, who alone may approve.

import { newKey } from "../keys.js";
import { makeActs } from "./acts.js";
import { askCorrection, Refusal } from "./api.js";
import { h, icon, spoken } from "./dom.js";
import { asDraft, isComplete, makeEntry, sameDraft, step } from "./entry.js";
import { makeHands } from "./hands.js";
import { note, sayAway, sayRefused, unsay } from "./notices.js";
import { makePad } from "./pad.js";
import { namesOf, outcome, payments } from "./review.js";
import { listenForKeys } from "./typing.js";
import { cents, signedDollars } from "./words.js";

export class CorrectionDesk {
  /** `round` is settled; `leave()` goes back between rounds. */
  constructor(stage, round, leave) {
    this.stage = stage;
    this.round = round;
    this.leave = leave;
    this.before = round.settlement.entered;
    this.entry = makeEntry(round, this.before);
    this.sent = null;
    this.build();
    this.stopKeys = listenForKeys(this);
    this.update();
  }

  close() {
    this.stopKeys();
    unsay("refused");
    unsay("away");
  }

  hurry() {}

  get unsaved() {
    return true;
  }

  field() {
    return this.hands.field(this.entry.hand);
  }

  idle() {
    return false;
  }

  enter() {
    step(this.entry, 1);
    this.update();
  }

  help() {
    document.getElementById("help").showModal();
  }

  changed() {
    this.update();
  }

  build() {
    this.acts = makeActs(this);
    this.hands = makeHands(this.round, this.acts, false); // nothing is judged before it is asked
    this.pad = makePad(this.acts);
    this.reason = h("input", { class: "input", id: "correction-reason", type: "text", maxlength: 200, autocomplete: "off", on: { input: () => this.update() } });
    this.ask = h("button", { class: "button button--primary button--big", type: "button", on: { click: () => this.send() } });
    const head = h("header", { class: "correction" },
      h("div", { class: "grow" }, h("h2", { class: "view-title", tabindex: "-1" }, `Correct round ${this.round.number}`),
        h("p", { class: "soft small" }, "Take back the wrong card and lay the right one. Nothing changes before the floor approves.")),
      h("button", { class: "button", type: "button", on: { click: () => this.leave() } }, icon("cross"), "Leave"));
    this.form = h("section", { class: "ready", "aria-label": "Ask the floor" },
      h("div", { class: "field" }, h("label", { for: "correction-reason" }, "Reason"), this.reason),
      h("div", { class: "quick" }, ["Wrong card", "Wrong suit", "Two cards swapped", "Declaration missed"].map((words) =>
        h("button", { class: "button", type: "button", "data-fill": "correction-reason", "data-with": words }, words))),
      this.ask);
    this.element = h("div", { class: "deal deal--correction" }, head, this.hands.element, this.pad.element, this.form);
    this.stage.replaceChildren(this.element);
    head.querySelector(".view-title").focus({ preventScroll: true });
  }

  update() {
    this.hands.update(this.entry, []);
    this.pad.update(this.entry);
    this.pad.element.hidden = isComplete(this.entry);
    this.form.hidden = !isComplete(this.entry);
    const same = sameDraft(this.before, asDraft(this.entry));
    const missing = same ? "Change something first" : !this.reason.value.trim() ? "Give a reason" : "";
    this.ask.textContent = missing || "Ask the floor";
    this.ask.disabled = Boolean(missing) || this.busy;
  }

  async send() {
    if (this.busy) return;
    const hands = asDraft(this.entry);
    const reason = this.reason.value.trim();
    if (!this.sent || this.sent.reason !== reason || !sameDraft(this.sent.hands, hands)) this.sent = { key: newKey(), hands, reason };
    this.busy = true;
    this.ask.disabled = true;
    try {
      const asked = await askCorrection(this.round.id, this.sent);
      unsay("away");
      this.show(asked);
    } catch (error) {
      if (error instanceof Refusal) sayRefused(error);
      else sayAway("The question was not answered. Ask again: it counts once.");
    } finally {
      this.busy = false;
      if (this.element.isConnected) this.update();
    }
  }

  show(asked) {
    note("The floor has been asked.", "good");
    const names = namesOf(this.round, asked.preview);
    this.stage.replaceChildren(h("section", { class: "review" },
      h("h2", { class: "view-title", tabindex: "-1" }, "Waiting for the floor"),
      h("p", {}, `Round ${this.round.number}: \u201c${asked.reason}\u201d. Chips move only once somebody else has approved it.`),
      h("ul", { class: "nets" }, Object.entries(asked.difference).map(([seat, text]) => {
        const amount = cents(text);
        return h("li", { class: `net${amount > 0 ? " net--up" : amount < 0 ? " net--down" : ""}` },
          h("p", { class: "net-who" }, h("span", { class: "seat-no" }, spoken("Seat "), seat), h("span", { class: "net-name" }, names[seat])),
          h("p", { class: "net-amount" }, signedDollars(amount)), h("p", { class: "net-note" }, "difference"));
      })),
      h("details", { class: "more", open: Boolean(asked.preview.score) }, h("summary", {}, asked.preview.score ? "What the round would score" : "How the round would be paid"), asked.preview.score ? outcome(this.round, asked.preview) : payments(this.round, asked.preview)),
      h("div", { class: "review-actions" }, h("button", { class: "button button--primary button--big grow", type: "button", on: { click: () => this.leave() } }, icon("check"), "Go on with the next round"))));
    this.stage.querySelector(".view-title").focus();
  }
}
