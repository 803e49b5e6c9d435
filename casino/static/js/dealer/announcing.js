// What players say of their hands before the reveal, as far as the game asks for it: surrender, announced bonuses, a
// declared clean sweep. What the game does not have is not on the page.

import { h, icon, set, spoken } from "./dom.js";
import { t } from "../language.js";
import { handName, segmentName, sweepName } from "./words.js";

/** A tick of a hand: `words` are seen, `more` is heard besides. Gives {element, box}. */
export function makeTick(words, more, act) {
  const box = h("input", { type: "checkbox", on: { change: () => act(box.checked) } });
  return { box, element: h("label", { class: "tick" }, box, words, spoken(more)) };
}

/** The tick for a surrender, or null where the game has none. */
export function makeSurrender(round, dealt, at, acts) {
  if (!round.sheet.surrender) return null;
  return makeTick(t("Surrenders"), `: ${handName(dealt)}`, (on) => acts.surrender(at, on));
}

/** Ticks for the segments whose bonuses must be announced (R13), or null. Gives {element, update(hand)}. */
export function makeAnnounced(round, dealt, at, acts) {
  if (!round.sheet.announced.length) return null;
  const ticks = round.sheet.announced.map((segment) => {
    const box = h("input", { type: "checkbox", value: segment, on: { change: () => acts.announce(at, segment, box.checked) } });
    return { box, element: h("label", { class: "call" }, box, icon("check"), h("span", {}, spoken(`${t("Announces")} `), segmentName(segment).toLowerCase(), spoken(`: ${handName(dealt)}`))) };
  });
  const element = h("div", { class: "calls", role: "group", "aria-label": t("{hand} announces bonuses", { hand: handName(dealt) }) },
      h("span", { class: "calls-name", "aria-hidden": "true" }, t("Announces")), ticks.map((tick) => tick.element));
  return {
    element,
    update(hand) {
      element.hidden = hand.unset; // nothing of it is compared
      for (const { box } of ticks) box.checked = hand.royalties.includes(box.value);
    },
  };
}

/**
 * A choice among all clean sweeps of the game, where one that is not there can be declared (R22), or where nothing is
 * judged yet; null where the game has none. Gives {element, update(hand, isFalse)}.
 */
export function makeDeclared(round, dealt, at, acts) {
  const kinds = round.sheet.clean_sweeps;
  if (!kinds.length) return null;
  const choice = h("select", { class: "input declares", "aria-label": t("{hand} declares", { hand: handName(dealt) }), on: { change: () => acts.declare(at, choice.value || null) } },
    h("option", { value: "" }, t("Declares nothing")),
    kinds.map(({ kind, points }) => h("option", { value: kind }, t("Declares {sweep}, {points}", { sweep: sweepName(kind).toLowerCase(), points }))));
  return {
    element: choice,
    update(hand, isFalse) {
      choice.value = hand.declares ?? "";
      set(choice, "data-declared", hand.declares ? (isFalse ? "false" : "yes") : null);
    },
  };
}
