// What became of the corrections that this tablet has seen waiting: said at once, whatever it shows, until it was read.

import { keep, keptHere } from "./keep.js";
import { say, unsay } from "./notices.js";
import { t } from "../language.js";

const LEVELS = { approved: "good", refused: "bad", overtaken: "warn" };

/** `corrections` are the table's latest, as the house told them just now. */
export function hearDecisions(session, corrections) {
  const name = `corrections:${session}`;
  const waiting = new Set(keptHere(name)?.value ?? []);
  for (const one of corrections) {
    if (one.state === "asked") waiting.add(one.id);
    else if (waiting.has(one.id)) sayDecided(one, () => forget(name, one.id));
  }
  keep(name, [...waiting]);
}

/** This tablet asked for it: it hears what became of it, however soon. */
export function awaitDecision(session, id) {
  const name = `corrections:${session}`;
  keep(name, [...new Set([...(keptHere(name)?.value ?? []), id])]);
}

function forget(name, id) {
  keep(name, (keptHere(name)?.value ?? []).filter((one) => one !== id));
  unsay(`decided-${id}`);
}

function sayDecided(one, read) {
  const what = one.by_hand ? t("Settlement by hand") : t("Correction");
  say(`decided-${one.id}`, {
    level: LEVELS[one.state] ?? "news", title: t("{what} of round {number}: {state}", { what, number: one.number, state: stateWords(one.state) }), text: decidedWords(one),
    actions: [{ words: t("Understood"), act: read }],
  });
}

const stateWords = (state) => ({ approved: t("approved"), refused: t("refused"), overtaken: t("overtaken") })[state] ?? state;

function decidedWords(one) {
  const by = one.decided_by ? t(" by {name}", { name: one.decided_by }) : "";
  if (one.state === "approved") return t("Approved{by}. The round is settled again and the stacks are as they are now shown.", { by });
  if (one.state === "refused") return t("Refused{by}: \u201c{reason}\u201d. Nothing has changed.", { by, reason: one.decision_reason });
  return t("The round was settled with its cards meanwhile. Nothing came of these points.");
}
