// One row of a hand: its name, what the rules say of it, and a place for each card. Three segments, or the one row of a
// hand that lies unset.

import { h, set, suitSign } from "./dom.js";
import { isFull, SIZES } from "./entry.js";
import { t } from "../language.js";
import { cardName, categoryName, counted, face, handName, placeName, segmentName } from "./words.js";

/** Build a row. `acts` has aim(at, segment) and take(card). Gives {element, update(entry, said)}. */
export function makeSegment(round, dealt, at, segment, acts) {
  const title = segmentName(segment, round.sheet);
  const says = h("span", { class: "segment-says" });
  const name = h("button", { class: "segment-name", type: "button", on: { click: () => acts.aim(at, segment) } },
    h("span", { class: "segment-title" }, title), says);
  const slots = Array.from({ length: SIZES[segment] }, (_, index) => {
    const slot = h("button", { class: "slot", type: "button", on: { click: () => {
      if (slot.dataset.card) acts.take(slot.dataset.card);
      else acts.aim(at, segment);
    } } });
    slot.dataset.index = index;
    return slot;
  });
  const element = h("div", { class: "segment", role: "group", "aria-label": `${handName(dealt)}, ${title.toLowerCase()}` }, name, h("div", { class: "slots" }, slots));
  return {
    element,
    update(entry, said) {
      const hand = entry.hands[at];
      const active = entry.hand === at && entry.segment === segment && !isFull(hand);
      set(element, "data-active", active ? "" : null);
      set(name, "aria-pressed", String(active));
      slots.forEach((slot, index) => {
        updateSlot(slot, hand, segment, index, active && index === hand[segment].length);
        set(slot, "data-picked", slot.dataset.card && entry.swap?.card === slot.dataset.card ? "" : null);
      });
      const bonus = bonusOf(round.sheet, hand, segment, said);
      const category = categoryName(said?.[segment]);
      says.replaceChildren(category, ...(bonus.points ? [" ", h("b", { class: bonus.counts ? "bonus" : "bonus-lost" }, bonus.shown)] : []));
      set(name, "aria-label", t("{segment} of {hand}{held}. Fill next.", { segment: title, hand: handName(hand), held: `${category ? `: ${category}` : ""}${bonus.points ? `, ${bonus.spoken}` : ""}` }));
    },
  };
}

/** The bonus a segment holds, and whether it counts: where bonuses are announced, only if it was (R13). */
function bonusOf(sheet, hand, segment, said) {
  const points = said?.bonus?.[segment] ?? 0;
  const counts = !sheet.announced.length || hand.royalties.includes(segment);
  return counts
    ? { points, counts, shown: `+${points}`, spoken: t("bonus {points}", { points: counted(points, "point") }) }
    : { points, counts, shown: h("s", {}, `+${points}`), spoken: t("a bonus of {points} that was not announced", { points: counted(points, "point") }) };
}

function updateSlot(slot, hand, segment, index, next) {
  const card = hand[segment][index] ?? "";
  set(slot, "data-next", next ? "" : null);
  if (slot.dataset.card === card) return;
  slot.dataset.card = card;
  slot.className = card ? `slot slot--card card--${card[1]}` : "slot";
  slot.replaceChildren(...(card ? [h("span", { class: "slot-rank" }, face(card)), suitSign(card[1])] : []));
  slot.setAttribute("aria-label", card
    ? t("{card}: take back from {place}", { card: cardName(card), place: placeName(hand, segment) })
    : t("{hand}, {segment} {number}, empty", { hand: handName(hand), segment: segment === "dealt" ? t("card") : segmentName(segment).toLowerCase(), number: index + 1 }));
}
