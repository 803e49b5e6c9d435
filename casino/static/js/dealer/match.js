// A race over rounds (R42): how the match stands, what it is played for, what a round adds to it.

import { badge, h, icon, spoken } from "./dom.js";
import { Choices } from "./choices.js";
import { t, tn } from "../language.js";
import { categoryName, cents, dollars, named, readAmount, segmentName } from "./words.js";
import { SEGMENTS } from "./entry.js";

const QUICK = [5, 10, 20]; // times the limit

/** The section between rounds. `acts.matchStake(cents|null)`. Gives {element, update(plan, choices)}. */
export function makeMatch(acts) {
  const standing = h("div", { class: "match" });
  const amount = h("input", { class: "input input--money", id: "match-stake", type: "text", inputmode: "decimal", autocomplete: "off", maxlength: 9, "aria-describedby": "match-help", on: { input: () => acts.matchStake(readAmount(amount.value)) } });
  const quick = h("div", { class: "quick" });
  const title = h("h2", { class: "match-next" });
  const stake = h("section", { class: "match-stake", "aria-label": t("Stake of the next match") }, title,
    h("div", { class: "field" }, h("label", { for: "match-stake" }, t("Match stake")), h("div", { class: "stakes-amount" }, amount, quick),
      h("p", { class: "field-help", id: "match-help" })));
  return {
    element: h("div", { class: "match-place" }, standing, stake),
    update(plan, choices) {
      const race = Boolean(plan.sheet.race_to);
      standing.hidden = !race || !plan.match;
      if (!standing.hidden) showStanding(standing, plan.match);
      stake.hidden = !race || !Choices.needsMatch(plan);
      if (stake.hidden) return;
      title.textContent = plan.match ? t("Next match") : t("First match");
      stake.querySelector(".field-help").textContent = t("What each other player pays whoever is first to {points} points.", { points: plan.sheet.race_to });
      if (choices.matchStake === null && document.activeElement !== amount) amount.value = "";
      showQuick(quick, plan);
    },
  };
}

function showQuick(quick, plan) {
  const limit = cents(plan.limit);
  const amounts = [...new Set([...(plan.match ? [cents(plan.match.stake)] : []), ...QUICK.map((times) => times * limit)])];
  if (quick.dataset.amounts === amounts.join()) return;
  quick.dataset.amounts = amounts.join();
  quick.replaceChildren(...amounts.map((one) => h("button", { class: "button", type: "button", "data-fill": "match-stake", "data-with": String(one / 100) }, dollars(one))));
}

/** How a match stands: the points of everybody, and once it is over who won it and what was paid. */
function showStanding(place, match) {
  const said = JSON.stringify(match);
  if (place.dataset.said === said) return;
  place.dataset.said = said;
  const names = Object.fromEntries(match.players.map((one) => [one.seat, named(one.player)]));
  const over = match.won_by !== null;
  place.replaceChildren(h("section", { class: "panel match-panel", "aria-labelledby": "match-title" },
    h("div", { class: "row row--apart" }, h("h2", { id: "match-title" }, t("Match {number}", { number: match.number })),
      over ? badge(t("Over"), "good", "check") : h("p", { class: "soft" }, tn("stake {amount}, {count} round played", "stake {amount}, {count} rounds played", match.round, { amount: dollars(cents(match.stake)) }))),
    over ? h("p", { class: "match-won" }, icon("star"), t("{name} has won", { name: names[match.won_by] })) : null,
    h("ol", { class: "match-score" }, match.players.map((one) => h("li", { class: `match-player${one.seat === match.won_by ? " match-player--won" : ""}` },
      h("span", { class: "seat-no" }, spoken(t("Seat ")), String(one.seat)), h("span", { class: "match-name" }, one.player),
      h("progress", { class: "match-way", max: match.race_to, value: Math.min(one.points, match.race_to), "aria-hidden": "true" }),
      h("b", { class: "match-points" }, String(one.points), one.points < match.race_to ? h("span", {}, t(" of {points}", { points: match.race_to })) : h("span", {}, t(" points")))))),
    over ? matchPayments(match, names) : null));
}

/** Who paid the winner what. */
function matchPayments(match, names) {
  return h("ul", { class: "match-paid" }, match.payments.map((payment) => h("li", {},
    `${t("{payer} paid {receiver}", { payer: names[payment.from], receiver: names[payment.to] })} `, h("b", {}, dollars(cents(payment.paid))),
    payment.paid !== payment.due ? h("span", { class: "soft" }, t(" of {amount}; the rest is never owed", { amount: dollars(cents(payment.due)) })) : null)));
}

/** The match as it stood before a round: the round's own, less what the round itself gave. */
function pointsBefore(round, seat) {
  const own = round.match.players.find((one) => one.seat === seat)?.points ?? 0;
  return own - (round.settlement?.score?.[seat] ?? 0);
}

/** What a seat scored in a round of a race, and its points afterwards: {kind, amount}. */
export function racePoints(round, answer, seat) {
  const won = answer.score[seat] ?? 0;
  const after = pointsBefore(round, seat) + won;
  const there = after >= round.match.race_to;
  return { kind: won ? " net--up" : "", amount: [`+${won}`, h("span", { class: "net-after" }, t(" makes {points}", { points: after }) + (there ? "" : t(" of {points}", { points: round.match.race_to }))),
    there ? badge(t("Has {points}", { points: round.match.race_to }), "good", "star") : null].filter(Boolean) };
}

/** What a hand held, segment by segment: the best of each at the table, alone, scores. */
export function raceNote(hand) {
  if (!hand) return t("not dealt in");
  if (hand.foul) return t("foul: scores nothing (R42)");
  return SEGMENTS.map((segment) => `${segmentName(segment).toLowerCase()} ${categoryName(hand[segment]).toLowerCase()}`).join(", ");
}

/** Before a round is confirmed: whether it ends the match. Who has won it, the house says. */
export function matchNote(round, answer) {
  const { match } = round;
  const ends = match.players.some((one) => pointsBefore(round, one.seat) + (answer.score[one.seat] ?? 0) >= match.race_to);
  return h("p", { class: "payment payment--none" }, ends
    ? t("Match {number} ends with this round: each other player pays the winner {amount}.", { number: match.number, amount: dollars(cents(match.stake)) })
    : t("Nobody pays yet: match {number} goes on to {points} points for {amount}.", { number: match.number, points: match.race_to, amount: dollars(cents(match.stake)) }));
}

/** What is said once a round is settled. */
export function settledWords(round) {
  const won = round.match?.players.find((one) => one.seat === round.match.won_by);
  return t("Round {number} is settled.", { number: round.number }) + (won ? ` ${t("{name} has won match {number}.", { name: named(won.player), number: round.match.number })}` : "");
}
