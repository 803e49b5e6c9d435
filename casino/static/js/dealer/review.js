// Who pays whom and why, before the dealer confirms and afterwards.

import { h, icon, spoken } from "./dom.js";
import { whichHand } from "./entry.js";
import { t } from "../language.js";
import { raceNote, racePoints } from "./match.js";
import { cents, counted, dollars, named, pointsOf, reasonOf, signedDollars, sweepName, categoryName, whichName } from "./words.js";

/** The players' names by seat, as they stand in sentences. */
export function namesOf(round, answer) {
  const names = answer.names ?? Object.fromEntries(round.hands.map((hand) => [String(hand.seat), hand.player]));
  return Object.fromEntries(Object.entries(names).map(([seat, name]) => [seat, named(name)]));
}

/** What the round comes to for everybody: dollars, or in a race points. */
export function outcome(round, answer) {
  const names = namesOf(round, answer);
  const seats = answer.score ? round.match.players.map((one) => one.seat) : Object.keys(answer.net).map(Number);
  return h("ul", { class: "nets" }, seats.sort((one, other) => one - other).map((seat) => {
    const { kind, amount, note } = resultOf(round, answer, seat);
    return h("li", { class: `net${kind}` },
      h("p", { class: "net-who" }, h("span", { class: "seat-no" }, spoken(t("Seat ")), String(seat)), h("span", { class: "net-name" }, names[seat])),
      h("p", { class: "net-amount" }, amount), h("p", { class: "net-note" }, note));
  }));
}

/** The result of one seat, to stand under its hand. */
export function resultTile(round, answer, seat) {
  const { kind, amount, note } = resultOf(round, answer, seat);
  return h("p", { class: `net${kind} net--tile` }, h("b", { class: "net-amount" }, amount), h("span", { class: "net-note" }, note));
}

/** How much changes hands, in cents: what everybody wins together. */
export const moved = (answer) => Object.values(answer.net).map(cents).filter((amount) => amount > 0).reduce((sum, amount) => sum + amount, 0);

/** What a seat wins or loses, where there is little room: {kind, text}. */
export function resultInShort(round, answer, seat) {
  const foul = answer.hands.some((hand) => hand.seat === seat && hand.foul) ? ` ${t("foul")}` : "";
  const amount = answer.score ? answer.score[seat] ?? 0 : cents(answer.net[seat] ?? "0");
  return { kind: amount > 0 ? "good" : amount < 0 ? "bad" : "", text: (answer.score ? `+${amount}` : signedDollars(amount)) + foul };
}

/** What a seat wins or loses. Points are those of the limit, so they say nothing beside other stakes. */
function resultOf(round, answer, seat) {
  const own = answer.hands.filter((hand) => hand.seat === seat);
  if (answer.score) return { note: raceNote(own[0]), ...racePoints(round, answer, seat) };
  const amount = cents(answer.net[seat] ?? "0");
  const marks = own.map((hand) => marksOf(hand, whichHand(answer.hands, hand)));
  const note = [!amount ? t("even") : round.pair_stakes.length ? "" : counted(pointsOf(Math.abs(amount), cents(round.limit)), "point"),
    ...marks, own.some((hand) => hand.fantasy_land_next) ? t("fantasy land next") : "", own.length > 1 ? t("both hands") : ""];
  return { kind: amount > 0 ? " net--up" : amount < 0 ? " net--down" : "", amount: signedDollars(amount), note: note.filter(Boolean).join(", ") };
}

/** What is to be said of a hand, and of which one where the seat has two: `second hand foul`. */
function marksOf(hand, which) {
  const said = [hand.surrendered ? t("surrendered") : "", hand.foul ? t("foul") : "", hand.clean_sweep ? sweepName(hand.clean_sweep).toLowerCase() : ""];
  return said.filter(Boolean).map((words) => (which ? `${whichName({ which })} ${words}` : words)).join(", ");
}

/** Every payment with its lines: what the receiver won counts up, what the payer won counts down. */
export function payments(round, answer) {
  const names = namesOf(round, answer);
  const paid = (answer.payments ?? []).filter((payment) => payment.points > 0);
  const none = answer.unexplained ? t("Another version of the rules settled this round. What it came to is recorded; its lines are not.") : t("Nobody pays: every comparison came out even.");
  if (!paid.length) return h("p", { class: "payment payment--none" }, none);
  return h("div", { class: "payments" }, paid.map((payment) => paymentOf(round, payment, names, answer)));
}

/** ` at $10.00` where the two play for another stake than the table (R32). */
function atStake(round, payment) {
  const own = round.pair_stakes.find((stake) => stake.seats.includes(payment.from) && stake.seats.includes(payment.to));
  return own && own.limit !== round.limit ? t(" at {amount}", { amount: dollars(cents(own.limit)) }) : "";
}

/** One line that a dealer reads at a glance; the rules behind it open with a tap. */
function paymentOf(round, payment, names, answer) {
  return h("details", { class: "payment payment--line", "data-pair": payment.positions.join("-") },
    h("summary", { class: "payment-top" },
      h("h3", { class: "payment-who" }, names[payment.from], " ", h("span", { class: "soft" }, t("pays")), " ", names[payment.to], handsOf(payment, answer)),
      payment.due === payment.paid ? null : h("span", { class: "payment-short" }, icon("alert"), t("of {amount}", { amount: dollars(cents(payment.due)) })),
      h("b", { class: "payment-amount" }, dollars(cents(payment.paid))),
      h("span", { class: "payment-points" }, counted(payment.points, "point"), atStake(round, payment))),
    cutOf(payment),
    h("ul", { class: "payment-lines" }, payment.lines.map((line) => {
      const reason = reasonOf(line.reason);
      const back = line.to === payment.from;
      return h("li", { class: `payment-line${back ? " payment-line--back" : ""}` },
        h("span", { class: "rule" }, reason.rule),
        h("span", {}, back ? `${names[line.to]}: ` : null, reason.words, lineNote(line, payment, answer)),
        h("span", { class: "points" }, back ? `\u2212${line.points}` : `+${line.points}`));
    })));
}

function cutOf(payment) {
  if (payment.due === payment.paid) return null;
  const said = t("{due} due, cut to {paid} by table stakes (R33). The rest is never owed.", { due: dollars(cents(payment.due)), paid: dollars(cents(payment.paid)) });
  return h("p", { class: "payment-cut" }, icon("alert"), h("span", {}, said));
}

/** Of two hands each, which hands met: `second hand to first hand`. */
function handsOf(payment, answer) {
  const [payer, receiver] = payment.positions.map((position) => whichHand(answer.hands, answer.hands.find((hand) => hand.position === position)));
  return payer ? h("span", { class: "payment-hands" }, t("{payer} to {receiver}", { payer: whichName({ which: payer }), receiver: whichName({ which: receiver }) })) : null;
}

/** What the hand had that earned a line: `: straight`. */
function lineNote(line, payment, answer) {
  const [payer, receiver] = payment.positions;
  const position = line.to === payment.to ? receiver : payer;
  const hand = answer.hands.find((one) => one.position === position);
  const segment = line.reason.replace("bonus_", "");
  const what = line.reason === "clean_sweep" ? sweepName(hand?.clean_sweep ?? "") : categoryName(hand?.[segment]);
  return what ? h("span", { class: "soft" }, `: ${what.toLowerCase()}`) : null;
}
