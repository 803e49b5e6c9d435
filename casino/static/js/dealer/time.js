// Time called on a hand (R57): counts down what the server said, and then leads to entering the hand as mis-set.

import { h, icon, set } from "./dom.js";
import { isFull } from "./entry.js";
import { t } from "../language.js";
import { handName } from "./words.js";

/** Build it for one hand; `acts` has misset(at, on). Hidden until time is called. Gives {element, update(hand)}. */
export function makeTime(round, dealt, at, acts) {
  const clock = h("span", { class: "clock" }, h("span", { class: "clock-left", "data-left": true }));
  // Once the clock is over, the style of the page shows the button: clock.js marks it so.
  const foul = h("button", { class: "button button--danger", type: "button", "aria-label": t("Enter {hand} as mis-set", { hand: handName(dealt) }), on: { click: () => acts.misset(at, true) } },
    icon("alert"), round.sheet.foul_plays ? t("Enter as mis-set, as it lies") : t("Enter as mis-set, without cards"));
  const element = h("div", { class: "deal-time", role: "status" }, h("p", {}, t("Time called")), clock, foul);
  return {
    element,
    update(hand) {
      const called = (round.times ?? []).find((one) => one.seat === dealt.seat);
      element.hidden = !called || hand.misset || hand.surrenders || isFull(hand);
      set(clock, "data-ends-at", called?.ends_at);
      set(clock, "data-near-seconds", "20");
    },
  };
}
