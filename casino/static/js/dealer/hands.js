// The hands of a round: who has them, how far each is entered, what the rules say of it. The rows of cards are in
// segment.js, what players say before the reveal in announcing.js.

import { makeAnnounced, makeDeclared, makeSurrender } from "./announcing.js";
import { badge, h, icon, set, spoken } from "./dom.js";
import { countOf, isFull, SEGMENTS, whichHand } from "./entry.js";
import { makeFoot } from "./foot.js";
import { t } from "../language.js";
import { resultInShort, resultTile } from "./review.js";
import { makeSegment } from "./segment.js";
import { makeTime } from "./time.js";
import { cents, dollars, handName, shortHand, whichName } from "./words.js";

/**
 * Build the hands. `round` is the API's; `acts` are those of acts.js; where the house does not judge what is entered
 * (`judged` false), every clean sweep can be declared. Gives {element, field(at), update(entry, says, answer)}; `says[at]`
 * is the rules' word or null, `answer` what the round comes to once it is known: it stands under the hands.
 */
export function makeHands(round, acts, judged = true) {
  const anyKind = !judged || round.sheet.false_declaration === "foul";
  const dealt = round.hands.map((hand) => ({ ...hand, which: whichHand(round.hands, hand) }));
  const panels = dealt.map((hand, at) => makePanel(round, hand, at, acts, anyKind));
  const buttons = dealt.map((hand, at) => makeTab(round, hand, at, acts));
  const tabs = h("div", { class: "hand-tabs", role: "group", "aria-label": t("Hands") }, buttons);
  const announcing = round.sheet.announced.length || (anyKind && round.sheet.clean_sweeps.length);
  const grid = h("div", { class: "deal-hands", "data-count": round.hands.length, "data-announcing": announcing ? "" : null }, panels.map((panel) => panel.element));
  return {
    element: h("div", { class: "deal-area" }, tabs, grid),
    field: (at) => panels[at].field,
    update(entry, says, answer = null) {
      panels.forEach((panel, at) => panel.update(entry, says[at], answer));
      buttons.forEach((tab, at) => {
        const state = answer ? resultInShort(round, answer, dealt[at].seat) : stateOf(entry.hands[at], says[at]);
        set(tab, "aria-pressed", String(at === entry.hand));
        tab.lastChild.textContent = state.text;
        set(tab.lastChild, "data-state", state.kind);
      });
    },
  };
}

function seatNumber(hand, round) {
  const button = hand.seat === round.button;
  return h("span", { class: `seat-no${button ? " seat-no--button" : ""}` }, spoken(t("Seat ")), String(hand.seat), button ? spoken(t(", button")) : null);
}

function makeTab(round, hand, at, acts) {
  return h("button", { class: "hand-tab", type: "button", on: { click: () => acts.aim(at) } }, seatNumber(hand, round),
    h("span", { class: "hand-tab-name" }, hand.which ? [h("b", { "aria-hidden": "true" }, shortHand(hand)), spoken(whichName(hand)), " "] : null, hand.player),
    h("span", { class: "hand-tab-count" }));
}

/** Whether the hand does not have what it declares (R22). */
const isFalse = (hand, said) => Boolean(hand.declares && isFull(hand) && said && !said.clean_sweeps.includes(hand.declares));

/** How far a hand is and how it lies: {text, kind, sign}. */
function stateOf(hand, said) {
  if (said?.error) return { text: t("Refused"), kind: "bad", sign: "alert" };
  if (hand.misset) return { text: t("Mis-set"), kind: "bad", sign: "alert" };
  if (hand.surrenders && (isFull(hand) || !countOf(hand))) return { text: t("Surrenders"), kind: "news", sign: "out" };
  if (isFalse(hand, said)) return { text: t("Not in cards"), kind: "warn", sign: "alert" };
  if (hand.declares && isFull(hand)) return { text: t("Declared"), kind: "good", sign: "star" };
  if (said?.foul) return { text: t("Foul"), kind: "bad", sign: "alert" };
  if (!isFull(hand)) return { text: t("{count} of 13", { count: countOf(hand) }), kind: "" };
  if (hand.unset && !hand.declares) return { text: t("Undeclared"), kind: "warn", sign: "alert" };
  if (said?.fantasy_land_next) return { text: t("Fantasy land next"), kind: "land", sign: "star" };
  return { text: t("All 13"), kind: "good", sign: "check" };
}

function makePanel(round, dealt, at, acts, anyKind) {
  const id = `hand-${dealt.position}`;
  const status = h("span", { class: "hand-status" });
  const surrender = makeSurrender(round, dealt, at, acts);
  const says = [makeAnnounced(round, dealt, at, acts), anyKind ? makeDeclared(round, dealt, at, acts) : null].filter(Boolean);
  const rows = SEGMENTS.map((segment) => makeSegment(round, dealt, at, segment, acts));
  const unset = round.sheet.unset ? makeSegment(round, dealt, at, "dealt", acts) : null;
  const foot = makeFoot(round, dealt, at, acts, anyKind);
  const set13 = h("div", { class: "deal-segments" }, rows.map((row) => row.element));
  const dealt13 = unset ? h("div", { class: "deal-segments deal-segments--unset" }, unset.element) : null;
  const none = surrender ? noCards(dealt, () => {
    acts.showCards(at);
    set13.querySelector(".slot").focus({ preventScroll: true });
  }) : null;
  const time = makeTime(round, dealt, at, acts);
  const result = dealt.which === "second hand" ? null : h("div", { class: "deal-result" }); // one for both hands
  let shown = null;
  const before = h("div", { class: "deal-says" }, says.map((one) => one.element));
  const element = h("section", { class: "deal-hand", "aria-labelledby": id, on: { pointerdown: (event) => {
    if (!event.target.closest("button, input, label, select")) acts.aim(at);
  } } }, makeHead(round, dealt, id, status, surrender), time.element, before, set13, dealt13, none, result, foot.element);
  return {
    element,
    field: foot.field,
    update(entry, said, answer) {
      if (result && shown !== answer) result.replaceChildren(...(answer ? [resultTile(round, answer, dealt.seat)] : []));
      shown = answer;
      const hand = entry.hands[at];
      const given = hand.surrenders && !hand.withCards;
      set(element, "data-active", entry.hand === at ? "" : null);
      time.update(hand);
      before.hidden = !says.length || hand.surrenders;
      if (surrender) surrender.box.checked = hand.surrenders;
      if (none) none.hidden = !given;
      for (const one of says) one.update(hand, isFalse(hand, said));
      set13.hidden = given || hand.unset;
      if (dealt13) dealt13.hidden = given || !hand.unset;
      for (const row of rows) row.update(entry, said);
      if (hand.unset) unset.update(entry, said);
      const { text, kind, sign } = stateOf(hand, said);
      set(element, "data-state", kind || null);
      status.replaceChildren(...(given ? [] : [badge(text, kind, sign)])); // the tick says it
      foot.element.hidden = given;
      foot.update(hand, said);
    },
  };
}

function makeHead(round, dealt, id, status, surrender) {
  const race = round.match?.players.find((one) => one.seat === dealt.seat);
  return h("header", { class: "deal-head" },
    seatNumber(dealt, round),
    h("h2", { id, tabindex: "-1" }, h("span", { class: "deal-name" }, dealt.player), dealt.which ? h("span", { class: "deal-which", "data-short": shortHand(dealt) }, spoken(","), h("span", {}, ` ${whichName(dealt)}`)) : null),
    h("p", { class: "deal-marks" },
      h("span", { class: "deal-stack" }, race ? t("Match {points} of {race}", { points: race.points, race: round.match.race_to }) : dollars(cents(dealt.stack))),
      dealt.fantasy_land ? badge(t("Fantasy land"), "land", "star") : null, status),
    surrender?.element);
}

/** In place of the cards of a hand that is surrendered: they are not needed, but can be entered. */
function noCards(dealt, enter) {
  return h("div", { class: "deal-none" }, h("p", {}, t("No cards needed")),
    h("button", { class: "button", type: "button", "aria-label": t("Enter cards of {hand}", { hand: handName(dealt) }), on: { click: enter } }, icon("plus"), t("Enter cards")));
}
