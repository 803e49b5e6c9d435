// Between rounds: who is dealt in and what they pay for it, who waits and why, and the button that starts the round.

import { Choices } from "./choices.js";
import { badge, h, icon, refill, spoken } from "./dom.js";
import { t } from "../language.js";
import { makeMatch } from "./match.js";
import { makeStakes } from "./stakes.js";
import { cents, counted, dollars, named, pointsOf } from "./words.js";

// How a badge looks that says why a seat waits; its words come with the plan.
const LOOKS = {
  short: ["bad", "chip"],
  fee_due: ["warn", "clock"],
  sitting_out: ["", "pause"],
  declined: ["", "pause"],
  fifth: ["news", "clock"],
  two_only: ["news", "clock"],
  match: ["news", "clock"],
};

/**
 * Build the view. `acts` has: decline(seat, on), cash(seat, on), twoHands(seat, on), reserved(on), agree(pair, cents),
 * matchStake(cents), start(). Gives {element, update(plan, choices)}.
 */
export function makePlan(acts) {
  const match = makeMatch(acts);
  const seats = h("div", { class: "plan-seats" });
  const stakes = makeStakes(acts);
  const start = h("div", { class: "plan-start" });
  const announced = h("p", { class: "plan-announced", role: "status" });
  return {
    element: h("div", { class: "plan" }, announced, match.element, seats, stakes.element, start),
    update(plan, choices) {
      const change = plan.announced ? announcedWords(plan.announced) : "";
      if (announced.textContent !== change) refill(announced, change ? [icon("swap"), h("span", {}, change)] : null);
      announced.hidden = !change;
      match.update(plan, choices);
      stakes.update(plan, choices);
      refill(seats,
        h("div", { class: "row row--apart" },
          h("h2", { class: "plan-title" }, plan.dealt_in.length ? t("Dealt in: {hands}", { hands: counted(handsIn(plan), "hand") }) : t("Nobody is dealt in yet")),
          plan.waiting.length ? h("p", { class: "plan-title" }, t("Waiting: {count}", { count: plan.waiting.length })) : null),
        h("ol", { class: "plan-list" }, inOrder(plan).map((seat) => seatRow(plan, seat, choices, acts))),
        !plan.dealt_in.length && !plan.waiting.length ? emptyTable() : null);
      refill(start, startBar(plan, choices, acts));
    },
  };
}

/** Everybody by seat, dealt in or waiting: each keeps their row whatever the button does. */
const inOrder = (plan) => [...plan.dealt_in, ...plan.waiting].sort((one, other) => one.seat - other.seat);

/** `From down 4: limit $40, fee $15, at most $4,000` */
function announcedWords(rate) {
  const [limit, fee, most] = [rate.limit, rate.fee, rate.max_buy_in].map((amount) => dollars(cents(amount)));
  return t("From down {down}: limit {limit}, fee {fee}, buy-in at most {most}", { down: rate.down, limit, fee, most });
}

/** How many hands are dealt: two each where both players agreed (R54). */
const handsIn = (plan) => plan.dealt_in.length * (plan.two_hands ? 2 : 1);

function emptyTable() {
  return h("div", { class: "empty" }, icon("table"), h("h3", {}, t("No players yet")),
    h("p", {}, t("Two players with at least nine points start a round. Seat them at the free seats on this page.")));
}

function seatRow(plan, seat, choices, acts) {
  const waits = seat.reason;
  const limit = cents(plan.limit);
  const stack = cents(seat.stack);
  const isButton = plan.button === seat.seat;
  return h("li", { class: `plan-seat${waits ? " plan-seat--waits" : ""}` },
    h("span", { class: `seat-no${isButton ? " seat-no--button" : ""}` }, spoken(t("Seat ")), String(seat.seat)),
    h("div", { class: "plan-who" },
      h("p", { class: "seat-name" }, seat.player),
      h("p", { class: "seat-marks" },
        isButton ? badge(t("Button"), "accent") : null,
        waits ? badge(seat.badge, ...(LOOKS[waits] ?? [])) : null,
        seat.fantasy_land ? badge(t("Fantasy land"), "land", "star") : null,
        waits && waits !== "declined" ? h("span", { class: "plan-why" }, seat.sentence) : feeLine(seat))),
    h("div", { class: "ticks plan-ticks" },
      seat.fee && seat.fee.how !== "covered" ? tickBox(t("Cash"), t(" for the fee"), seat, `cash-${seat.seat}`, choices.cash.has(seat.seat), (on) => acts.cash(seat.seat, on)) : null,
      !waits || waits === "declined" || choices.decline.has(seat.seat)
        ? tickBox(t("Declines"), t(" this round"), seat, `decline-${seat.seat}`, choices.decline.has(seat.seat), (on) => acts.decline(seat.seat, on)) : null),
    h("p", { class: "seat-money" }, h("b", {}, pointsOf(stack, limit), h("span", {}, t(" points"))), h("span", {}, dollars(stack))));
}

function feeLine(seat) {
  if (!seat.fee) return null;
  const how = { stack: t("from stack"), cash: t("cash into the box"), cage: t("at the cage"), covered: t("nothing to pay") }[seat.fee.how] ?? t("stays due");
  const rule = { full: t("full"), half: t("half"), covered: t("covered") }[seat.fee.rule] ?? t("fee");
  return h("span", { class: `plan-fee${seat.fee.how === "due" ? " plan-fee--due" : ""}` }, icon("clock"),
    h("span", {}, h("b", {}, dollars(cents(seat.fee.amount))), ` ${rule}, ${how}${seat.fee.following ? ` (${seat.fee.following})` : ""}`));
}

function tickBox(words, more, seat, name, checked, act) {
  const box = h("input", { type: "checkbox", "data-focus": name, on: { change: () => act(box.checked) } });
  box.checked = checked;
  return h("label", { class: "tick" }, box, words, spoken(`${more}: ${named(seat.player)}`));
}

/** A tick for the whole round, above the button that starts it. */
function roundTick(words, name, checked, act) {
  const box = h("input", { type: "checkbox", "data-focus": name, on: { change: () => act(box.checked) } });
  box.checked = checked;
  return h("label", { class: "tick plan-two" }, box, words);
}

/** Two hands each is for two who both agree, so both are asked (R54). */
function twoHandsTicks(plan, choices, acts) {
  return h("div", { class: "plan-agree", role: "group", "aria-label": t("Two hands each, if both agree") },
    h("span", {}, t("Two hands each:")),
    plan.dealt_in.map((seat) => roundTick(t("{name} agrees", { name: named(seat.player) }), `two-hands-${seat.seat}`, choices.twoHands.has(seat.seat), (on) => acts.twoHands(seat.seat, on))));
}

/** `Start round 5`; of a race `Start round 3 of the match`. */
function startWords(plan) {
  if (plan.sheet.race_to) return t("Start round {number} of the match", { number: Choices.needsMatch(plan) ? 1 : plan.match.round + 1 });
  return plan.number ? t("Start round {number}", { number: plan.number }) : t("Start round");
}

function startBar(plan, choices, acts) {
  const fees = [...plan.dealt_in, ...plan.waiting].filter((seat) => seat.fee && seat.fee.how !== "due");
  const stack = fees.filter((seat) => seat.fee.how === "stack").reduce((sum, seat) => sum + cents(seat.fee.amount), 0);
  const cash = fees.filter((seat) => seat.fee.how !== "stack").reduce((sum, seat) => sum + cents(seat.fee.amount), 0);
  const unsaid = Choices.needsMatch(plan) && !choices.matchStake;
  const told = [counted(handsIn(plan), "hand"), stack ? t("{amount} fees from stacks", { amount: dollars(stack) }) : "", cash ? t("collect {amount} in cash", { amount: dollars(cash) }) : ""];
  const why = !plan.can_start ? plan.why_not ?? t("The round cannot start yet.") : unsaid ? t("Say the match stake first.") : "";
  const button = h("button", {
    class: "button button--primary button--big button--wide", type: "button", "data-focus": "start",
    disabled: Boolean(why), "aria-busy": choices.sending ? "true" : null, "aria-describedby": "start-note", on: { click: acts.start },
  }, choices.sending ? null : icon("play"), startWords(plan));
  return [
    plan.two_hands_possible ? twoHandsTicks(plan, choices, acts) : null,
    plan.reserved_possible ? roundTick(t("The two undealt hands were kept: deal those"), "reserved", choices.reserved, acts.reserved) : null,
    h("p", { class: `plan-note${why ? " plan-note--no" : ""}`, id: "start-note" }, why || told.filter(Boolean).join(" \u00b7 ")),
    button,
  ];
}
