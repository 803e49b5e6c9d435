// The dealer's page: between rounds, in a round, or correcting one. Asks the house what is so and shows the fitting view.

import "../awake.js";
import { hourAndMinute } from "../clock.js";
import { t } from "../language.js";
import { getRound, Refusal, voidRound } from "./api.js";
import { Away } from "./away.js";
import { begun, CorrectionDesk } from "./correction.js";
import { hearDecisions } from "./decisions.js";
import { badge, focusNext, h, icon } from "./dom.js";
import { note, sayAway, sayRefused, unsay } from "./notices.js";
import { outcome, payments } from "./review.js";
import { RoundDesk } from "./round.js";
import { Act } from "./sending.js";
import { Starting } from "./starting.js";
import { cents, dollars, named } from "./words.js";

const page = document.getElementById("dealer");
const stage = document.getElementById("stage");
const beside = document.getElementById("beside");
const lastPlace = document.getElementById("last");
const session = page.dataset.session;
const STATES = { asked: [t("Correction waits for the floor"), "warn", "clock"], approved: [t("Correction approved"), "good", "check"], refused: [t("Correction refused"), "bad", "cross"], overtaken: [t("Correction overtaken"), "warn", "swap"] };

let desk = null; // the round or correction that is worked on, null between rounds
let last = null;
let startIsNext = false; // the button that starts a round is to have the focus, once it is there
const away = new Away(session, {
  plan: () => next.plan,
  changed: () => refresh(),
  over: goOn,
});
const { outage } = away;
const next = new Starting(session, { heard, failed, started, outage, playOn: () => away.playOn() });
const refresh = () => {
  if (outage.on) outage.hurry();
  return next.refresh();
};

// --- asking ---------------------------------------------------------------------------------------------------

async function heard(answer) {
  document.getElementById("table-limit").textContent = dollars(cents(answer.round?.limit ?? answer.limit));
  showClock();
  if (!outage.on) {
    away.heard(answer);
    hearDecisions(session, answer.corrections);
  }
  await settleInto(answer);
}

function failed(error) {
  if (!(error instanceof Refusal)) {
    // A start without an answer does not go on by itself: its button is pressed again.
    if (!next.plan && !outage.on) showBefore();
    else if (!next.act.pending && !away.isBefore && !desk?.unsaved) sayAway(next.plan ? t("The page goes on by itself as soon as the house answers.") : t("The house does not answer. This page keeps trying."));
    if (!desk) setTimeout(refresh, 3000);
  } else if (error.code === "not_your_table") {
    if (outage.on) outage.hurry(); // what was played here is told to the floor first
    else location.assign("/dealer/"); // pushed out: the round goes on without us
  } else sayRefused(error);
}

/** The page was opened while the house is away: show what it said last on this tablet, as of then. */
function showBefore() {
  const before = away.before();
  if (!before) return;
  next.plan = before;
  showClock();
  settleInto(before);
}

/** The house has everything that was played without it, or all but the round that is played right now. */
function goOn(round) {
  last = null;
  if (round && desk instanceof RoundDesk) openRound(round);
  refresh();
}

async function settleInto(answer) {
  if (desk instanceof CorrectionDesk) {
    if (!answer.round) {
      desk.heard(answer.corrections);
      return;
    }
    if (desk.open) note(t("Round {number} runs. What you entered for round {other} is kept until it is over.", { number: answer.round.number, other: desk.round.number }), "warn");
  }
  if (answer.round) {
    if (desk instanceof RoundDesk && desk.round.id === answer.round.id) desk.heard(answer.round);
    else openRound(answer.round);
    return;
  }
  if (desk) {
    if (desk.confirming.pending) desk.confirming.send(); // it may be settled by our own confirmation: its answer says so
    else desk.over(null, t("The round is over: it was finished on another tablet."));
    return;
  }
  await showBetween(answer);
}

// --- between rounds -------------------------------------------------------------------------------------------

async function showBetween(answer) {
  showTitle(t("Before round {number}", { number: answer.number ?? t("the next") }), false);
  beside.hidden = false;
  next.show(stage);
  if (outage.on) last = outage.state.last;
  const start = stage.querySelector("[data-focus='start']:enabled");
  if (startIsNext && start && document.activeElement === document.body) focusNext(start);
  startIsNext = startIsNext && !start;
  if (answer.last_round && (last?.id !== answer.last_round || last?.stale)) {
    try {
      last = await getRound(answer.last_round);
    } catch {
      return; // the card of the last round is a convenience: the next refresh asks again
    }
  }
  if (next.view) showLast();
}

function showLast() {
  if (!last?.settlement || last.settlement.here) {
    lastPlace.replaceChildren(...(last?.settlement ? [away.lastRound(last)] : []));
    return;
  }
  const opened = [...lastPlace.querySelectorAll("details[open]")].map((one) => one.dataset.pair);
  const waiting = last.corrections?.[0];
  const other = begun(session);
  const time = last.settlement.settled_at ? `, ${hourAndMinute(Date.parse(last.settlement.settled_at))}` : "";
  lastPlace.replaceChildren(h("section", { class: "panel stack", "aria-labelledby": "last-round" },
    h("div", { class: "row row--apart" }, h("h2", { id: "last-round" }, `${t("Round {number}", { number: last.number })}${time}`),
      last.settlement.by_hand ? badge(t("By hand"), "warn", "lock") : null,
      waiting ? badge(...(STATES[waiting.state] ?? [waiting.state])) : last.settlement.corrected ? badge(t("Corrected"), "news", "swap") : badge(t("Settled"), "good", "check")),
    outcome(last, last.settlement),
    last.settlement.score ? null : payments(last, last.settlement),
    last.settlement.by_hand ? null : h("a", { class: "button button--wide", href: `/rounds/${last.id}/dispute/`, "data-focus": "dispute" }, icon("help"), t("Dispute? Every point with its rule")),
    waiting?.state === "asked" ? h("p", { class: "soft" }, t("\u201c{reason}\u201d, asked by {name}. Play may go on meanwhile.", { reason: waiting.reason, name: named(waiting.asked_by) }))
      : last.settlement.by_hand ? h("p", { class: "soft" }, t("Its cards are gone; it was settled by the points that two people stand for."))
      : h("button", { class: "button button--wide", type: "button", "data-focus": "correct", on: { click: () => correct(last.id) } }, icon("swap"), t("Wrong card? Ask for a correction")),
    other && other.round !== last.id
      ? h("button", { class: "button button--wide", type: "button", "data-focus": "correct-other", on: { click: () => correct(other.round) } }, icon("swap"), t("Go on correcting round {number}", { number: other.number })) : null));
  for (const pair of opened) lastPlace.querySelector(`details[data-pair="${pair}"]`)?.setAttribute("open", "");
}

function started(round) {
  openRound(round);
  refresh(); // a down may have begun with it
}

/** `Round 7 (round 3 of match 2)`, and what is particular about it. */
function titleOf(round) {
  const race = round.match ? t(" (round {number} of match {match})", { number: round.match.round + 1, match: round.match.number }) : "";
  return t("Round {number}", { number: round.number }) + race + (round.reserved_from ? t(", hands kept from round {number}", { number: round.reserved_from }) : "");
}

// --- in a round -----------------------------------------------------------------------------------------------

function openRound(round) {
  desk?.close();
  next.hide();
  beside.hidden = true;
  next.choices.clear();
  unsay("refused");
  showTitle(titleOf(round), true);
  desk = new RoundDesk(stage, round, { leave, outage, playOn: away.playOn(round) });
  focusNext(stage.querySelector(".deal-hand h2"));
}

function leave(settled, sentence) {
  desk = null;
  note(sentence, settled ? "good" : "news");
  if (settled) last = settled;
  document.getElementById("kept").textContent = "";
  showNextStart();
  window.scrollTo(0, 0);
}

/** Between rounds again: the next act is to start one. */
function showNextStart() {
  startIsNext = true;
  refresh();
}

async function correct(id) {
  let round;
  try {
    round = await getRound(id);
  } catch (error) {
    if (error instanceof Refusal) sayRefused(error);
    else sayAway(t("The round could not be loaded. Try again in a moment."));
    return;
  }
  next.hide();
  beside.hidden = true;
  showTitle(t("Correcting round {number}", { number: round.number }), false);
  desk = new CorrectionDesk(stage, round, () => {
    desk.close();
    desk = null;
    if (last) last.stale = true;
    showNextStart();
  });
}

const voidWords = ({ number, sheet }) => (sheet.fantasy_land
  ? t("Round {number} is void: buttons and fantasy land stay as they were.", { number })
  : t("Round {number} is void: the buttons stay as they were.", { number }));

/** The dialog of a misdeal: a reason, then the round is void (R58). */
function wireMisdeal() {
  const dialog = document.getElementById("misdeal");
  const form = dialog.querySelector("form");
  const reason = form.elements.reason;
  const misdeal = new Act();
  let sending = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (sending || !(desk instanceof RoundDesk) || !reason.value.trim()) return;
    sending = true;
    const dealt = desk;
    try {
      const round = await voidRound(dealt.round.id, { ...(misdeal.pending ?? misdeal.begin()), reason: reason.value.trim() });
      misdeal.over();
      reason.value = "";
      dialog.close();
      if (desk === dealt) dealt.over(null, voidWords(round));
    } catch (error) {
      dialog.close();
      if (error instanceof Refusal) {
        misdeal.over();
        sayRefused(error);
      } else sayAway(t("The round may be void or not. Open the dialog and press the button again: it counts once."));
    } finally {
      sending = false;
    }
  });
}

// --- the strip ------------------------------------------------------------------------------------------------

function showTitle(text, running) {
  document.getElementById("round-title").textContent = text;
  document.getElementById("open-misdeal").hidden = !running || outage.on;
}

function showClock() {
  const clock = document.getElementById("down-clock");
  const { down } = next.plan;
  const left = clock.querySelector("[data-left]");
  if (down?.ends_at && !down.stopped) clock.dataset.endsAt = down.ends_at;
  else {
    delete clock.dataset.endsAt;
    clock.removeAttribute("data-near");
    left.textContent = down?.stopped ? t("Stopped") : "";
  }
  const fee = down?.next_fee ? t(", next fee {amount}", { amount: dollars(cents(down.next_fee)) }) : "";
  clock.querySelector(".clock-name").textContent = down ? t("down {number}", { number: down.number }) + fee : t("no down runs");
}

// --- start ----------------------------------------------------------------------------------------------------

document.getElementById("table-events").addEventListener(`sse:table-${session}`, () => {
  if (last) last.stale = true;
  refresh();
});
document.body.addEventListener("live-poll", refresh);
document.body.addEventListener("htmx:sseOpen", () => outage.on && refresh()); // the house is back
document.body.addEventListener("table-changed", refresh);
window.addEventListener("online", () => {
  desk?.hurry();
  refresh();
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
wireMisdeal();
away.begin();
refresh();
setInterval(refresh, 60_000);
