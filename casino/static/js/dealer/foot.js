// Below the cards of a hand: the field for typed cards, the clean sweeps it can declare, how it really lay, and what is
// wrong with it.

import { makeTick } from "./announcing.js";
import { h, icon, spoken } from "./dom.js";
import { isFull } from "./entry.js";
import { t } from "../language.js";
import { handName, sentence, sweepName } from "./words.js";

/**
 * Build the foot. `acts` has: typed(at, field), aim(at), takeLast(at), declare, layUnset, misset; `anyKind`: all clean
 * sweeps can be chosen elsewhere. Gives {element, field, update(hand, said)}.
 */
export function makeFoot(round, dealt, at, acts, anyKind) {
  const field = makeField(round, dealt, at, acts);
  const unset = round.sheet.unset ? makeTick(h("span", { class: "tick-unset" }, h("span", { class: "tick-lies" }, t("Lies ")), t("unset")), `: ${handName(dealt)}`, (on) => acts.layUnset(at, on)) : null;
  const misset = makeTick(t("Mis-set"), `: ${handName(dealt)}`, (on) => acts.misset(at, on));
  const sweeps = h("div", { class: "ticks deal-sweeps" });
  const note = h("p", { class: "deal-note", role: "status" });
  return {
    field,
    element: h("footer", { class: "deal-foot" }, note, sweeps, field, h("div", { class: "deal-lies" }, unset?.element, misset.element)),
    update(hand, said) {
      misset.box.checked = hand.misset;
      misset.element.hidden = hand.surrenders || hand.unset;
      if (unset) {
        unset.box.checked = hand.unset;
        unset.element.hidden = hand.surrenders || hand.misset;
      }
      showSweeps(sweeps, round, hand, sweepsOf(hand, said, anyKind), at, acts);
      const text = wrongWith(hand, said);
      if (note.textContent !== text) note.textContent = text;
    },
  };
}

function makeField(round, dealt, at, acts) {
  const field = h("input", {
    class: "input deal-type", type: "text", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    enterkeyhint: "next", placeholder: round.sheet.unset ? "QsQh" : t("type QsQh2c"), "aria-label": t("Cards of {hand}, seat {seat}", { hand: handName(dealt), seat: dealt.seat }), "aria-describedby": "typing-help", "data-hand": at,
    on: {
      input: () => acts.typed(at, field),
      focus: () => acts.aim(at),
      keydown: (event) => {
        if (event.key === "Backspace" && !field.value) {
          event.preventDefault();
          acts.takeLast(at);
        }
      },
    },
  });
  return field;
}

/** The clean sweeps that can be declared here: those that lie in the cards, and the one that is declared though it does not. */
function sweepsOf(hand, said, anyKind) {
  if (hand.surrenders || hand.misset || (anyKind && hand.declares)) return [];
  const kinds = said?.clean_sweeps ?? [];
  return hand.declares && !kinds.includes(hand.declares) ? [...kinds, hand.declares] : kinds;
}

function showSweeps(place, round, hand, shown, at, acts) {
  if (place.dataset.kinds !== shown.join()) {
    place.dataset.kinds = shown.join();
    place.replaceChildren(...shown.map((kind) => sweepTick(round, hand, at, kind, acts)));
  }
  for (const box of place.querySelectorAll("input")) box.checked = box.value === hand.declares;
}

function sweepTick(round, hand, at, kind, acts) {
  const points = round.sheet.clean_sweeps.find((one) => one.kind === kind)?.points;
  const box = h("input", { type: "checkbox", value: kind, on: { change: () => acts.declare(at, box.checked ? kind : null) } });
  return h("label", { class: "tick tick--sweep" }, box, icon("star"),
    h("span", {}, spoken(`${t("{hand} declares", { hand: handName(hand) })} `), h("span", { "aria-hidden": "true" }, t("Declare ")), sweepName(kind).toLowerCase(), points ? `, ${points}` : "", spoken(t(" points"))));
}

/** What the rules refuse of this hand, in a sentence; empty where nothing is wrong. */
function wrongWith(hand, said) {
  if (said?.error) return sentence(said.error.error);
  return hand.unset && isFull(hand) && said && !said.clean_sweeps.length ? t("No clean sweep lies in these 13 cards: the hand must be set.") : "";
}
