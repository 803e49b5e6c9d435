// The hands of the running round: three segments each, what the rules say of them, the field for typed cards.

import { badge, h, icon, set, spoken, suitSign } from "./dom.js";
import { countOf, isFull, SEGMENTS, SIZES, whichHand } from "./entry.js";
import { cardName, categoryName, cents, counted, dollars, face, handName, placeName, segmentName, shortHand, sweepName } from "./words.js";

/**
 * Build the hands. `round` is the API's; `acts` has: aim(at, segment), take(card), typed(at, input), takeLast(at),
 * declare(at, kind), misset(at, on). Gives {element, update(entry, says)}; `says[at]` is the rules' word or null.
 */
export function makeHands(round, acts) {
  const tabs = h("div", { class: "hand-tabs", role: "group", "aria-label": "Hands" });
  const dealt = round.hands.map((hand) => ({ ...hand, which: whichHand(round.hands, hand) }));
  const panels = dealt.map((hand, at) => makePanel(round, hand, at, acts));
  const buttons = dealt.map((hand, at) => {
    const tab = h("button", { class: "hand-tab", type: "button", on: { click: () => acts.aim(at) } },
      seatNumber(hand, round), h("span", { class: "hand-tab-name" }, hand.which ? [h("b", { "aria-hidden": "true" }, shortHand(hand)), spoken(hand.which), " "] : null, hand.player), h("span", { class: "hand-tab-count" }));
    tabs.append(tab);
    return tab;
  });
  const grid = h("div", { class: "deal-hands", "data-count": round.hands.length }, panels.map((panel) => panel.element));
  return {
    element: h("div", { class: "deal-area" }, tabs, grid),
    field: (at) => panels[at].field,
    update(entry, says) {
      panels.forEach((panel, at) => panel.update(entry, says[at]));
      buttons.forEach((tab, at) => {
        const hand = entry.hands[at];
        set(tab, "aria-pressed", String(at === entry.hand));
        tab.lastChild.textContent = statusText(hand, says[at]);
        set(tab.lastChild, "data-state", stateOf(hand, says[at]));
      });
    },
  };
}

export function seatNumber(hand, round) {
  const button = hand.seat === round.button;
  return h("span", { class: `seat-no${button ? " seat-no--button" : ""}` }, spoken("Seat "), String(hand.seat), button ? spoken(", button") : null);
}

function stateOf(hand, said) {
  if (hand.misset || said?.foul) return "foul";
  return isFull(hand) ? "full" : "open";
}

function statusText(hand, said) {
  if (hand.misset) return "Mis-set";
  if (said?.foul) return "Foul";
  return isFull(hand) ? "All 13" : `${countOf(hand)} of 13`;
}

function makePanel(round, dealt, at, acts) {
  const id = `hand-${dealt.position}`;
  const status = h("span", { class: "hand-status" });
  const head = h("header", { class: "deal-head" },
    seatNumber(dealt, round),
    h("h2", { id }, h("span", { class: "deal-name" }, dealt.player), dealt.which ? h("span", { class: "deal-which" }, spoken(","), ` ${dealt.which}`) : null),
    h("p", { class: "deal-marks" }, h("span", { class: "deal-stack" }, dollars(cents(dealt.stack))), dealt.fantasy_land ? badge("Fantasy land", "land", "star") : null, status));
  const rows = SEGMENTS.map((segment) => makeSegment(dealt, at, segment, acts));
  const foot = makeFoot(round, dealt, at, acts);
  const element = h("section", { class: "deal-hand", "aria-labelledby": id, on: { pointerdown: (event) => {
    if (!event.target.closest("button, input, label")) acts.aim(at);
  } } }, head, h("div", { class: "deal-segments" }, rows.map((row) => row.element)), foot.element);
  return {
    element,
    field: foot.field,
    update(entry, said) {
      const hand = entry.hands[at];
      set(element, "data-active", entry.hand === at ? "" : null);
      rows.forEach((row) => row.update(entry, said));
      status.replaceChildren(statusBadge(hand, said));
      foot.update(hand, said);
    },
  };
}

function statusBadge(hand, said) {
  const state = stateOf(hand, said);
  const text = statusText(hand, said);
  if (state === "foul") return badge(text, "bad", "alert");
  if (said?.fantasy_land_next) return badge("Fantasy land next", "land", "star");
  return state === "full" ? badge(text, "good", "check") : badge(text);
}

function makeSegment(dealt, at, segment, acts) {
  const says = h("span", { class: "segment-says" });
  const name = h("button", { class: "segment-name", type: "button", on: { click: () => acts.aim(at, segment) } },
    h("span", { class: "segment-title" }, segmentName(segment)), says);
  const slots = Array.from({ length: SIZES[segment] }, (_, index) => {
    const slot = h("button", { class: "slot", type: "button", on: { click: () => {
      if (slot.dataset.card) acts.take(slot.dataset.card);
      else acts.aim(at, segment);
    } } });
    slot.dataset.index = index;
    return slot;
  });
  const element = h("div", { class: "segment", role: "group", "aria-label": `${handName(dealt)}, ${segment}` }, name, h("div", { class: "slots" }, slots));
  return {
    element,
    update(entry, said) {
      const hand = entry.hands[at];
      const active = entry.hand === at && entry.segment === segment && !isFull(hand);
      set(element, "data-active", active ? "" : null);
      set(name, "aria-pressed", String(active));
      slots.forEach((slot, index) => updateSlot(slot, hand, segment, index, active && index === hand[segment].length));
      const category = categoryName(said?.[segment]);
      const bonus = said?.bonus?.[segment];
      says.replaceChildren(category, ...(bonus ? [" ", h("b", { class: "bonus" }, `+${bonus}`)] : []));
      set(name, "aria-label", `${segmentName(segment)} of ${handName(hand)}${category ? `: ${category}` : ""}${bonus ? `, bonus ${counted(bonus, "point")}` : ""}. Fill next.`);
    },
  };
}

function updateSlot(slot, hand, segment, index, next) {
  const card = hand[segment][index] ?? "";
  set(slot, "data-next", next ? "" : null);
  if (slot.dataset.card === card) return;
  slot.dataset.card = card;
  slot.className = card ? `slot slot--card card--${card[1]}` : "slot";
  slot.replaceChildren(...(card ? [h("span", { class: "slot-rank" }, face(card)), suitSign(card[1])] : []));
  slot.setAttribute("aria-label", card
    ? `${cardName(card)}: take back from ${placeName(hand, segment)}`
    : `${handName(hand)}, ${segment} ${index + 1}, empty`);
}

function makeFoot(round, dealt, at, acts) {
  const field = h("input", {
    class: "input deal-type", type: "text", autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
    enterkeyhint: "next", placeholder: "type QsQh2c", "aria-label": `Cards of ${handName(dealt)}, seat ${dealt.seat}`, "aria-describedby": "typing-help", "data-hand": at,
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
  const tick = h("input", { type: "checkbox", on: { change: () => acts.misset(at, tick.checked) } });
  const misset = h("label", { class: "tick" }, tick, "Mis-set", spoken(`: ${handName(dealt)}`));
  const sweeps = h("div", { class: "ticks deal-sweeps" });
  return {
    field,
    element: h("footer", { class: "deal-foot" }, sweeps, field, misset),
    update(hand, said) {
      tick.checked = hand.misset;
      const kinds = said?.clean_sweeps ?? [];
      const wanted = hand.declares && !kinds.includes(hand.declares) ? [...kinds, hand.declares] : kinds;
      if (sweeps.dataset.kinds !== wanted.join()) {
        sweeps.dataset.kinds = wanted.join();
        sweeps.replaceChildren(...wanted.map((kind) => sweepTick(round, hand, at, kind, acts)));
      }
      for (const box of sweeps.querySelectorAll("input")) box.checked = box.value === hand.declares;
    },
  };
}

function sweepTick(round, hand, at, kind, acts) {
  const points = round.sheet?.clean_sweeps?.find((one) => one.kind === kind)?.points;
  const box = h("input", { type: "checkbox", value: kind, on: { change: () => acts.declare(at, box.checked ? kind : null) } });
  return h("label", { class: "tick tick--sweep" }, box, icon("star"),
    h("span", {}, spoken(`${handName(hand)} declares `), h("span", { "aria-hidden": "true" }, "Declare "), sweepName(kind).toLowerCase(), points ? `, ${points}` : "", spoken(" points")));
}
