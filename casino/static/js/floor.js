// The floor's page of a table: in its desk the next round is started, with the form that the dealer's page has.

import { Refusal } from "./dealer/api.js";
import { note, sayAway, sayRefused } from "./dealer/notices.js";
import { Starting } from "./dealer/starting.js";
import { t, tn } from "./language.js";

const AGAIN = 3000;

/** Fill a place with `data-start-round` (the session) and `data-back` (the table's page). */
function begin(place) {
  const stage = place.querySelector("[data-stage]");
  if (!stage || place.dataset.begun) return;
  place.dataset.begun = "yes";
  const session = place.dataset.startRound;
  const starting = new Starting(session, { heard, failed, started });
  const refresh = () => place.isConnected && starting.refresh();

  function heard(plan) {
    if (!place.isConnected) return;
    if (plan.round) leave(t("Round {number} runs.", { number: plan.round.number }), "news");
    else starting.show(stage);
  }

  function failed(error) {
    if (!place.isConnected) return;
    if (error instanceof Refusal) sayRefused(error);
    else {
      sayAway(t("The form goes on by itself as soon as the house answers."));
      setTimeout(refresh, AGAIN);
    }
  }

  function started(round) {
    leave(tn("Round {number} runs: {count} hand.", "Round {number} runs: {count} hands.", round.hands.length, { number: round.number }), "good");
  }

  /** Nothing is left to do here: the desk is empty again unless another act lies there, a page of its own goes back to the table. */
  function leave(said, level) {
    const desk = place.closest("#desk");
    if (!desk && place.isConnected) {
      location.assign(place.dataset.back);
      return;
    }
    desk?.replaceChildren();
    document.body.dispatchEvent(new CustomEvent("table-changed"));
    note(said, level);
  }

  place.querySelector("[data-heard]").addEventListener(`sse:table-${session}`, refresh);
  refresh();
}

function beginAll(root) {
  if (root.matches?.("[data-start-round]")) begin(root);
  for (const place of root.querySelectorAll("[data-start-round]")) begin(place);
}

document.addEventListener("htmx:load", (event) => beginAll(event.detail.elt));
beginAll(document);
