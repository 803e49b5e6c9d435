// What became of the corrections that this tablet has seen waiting: said at once, whatever it shows, until it was read.

import { keep, keptHere } from "./keep.js";
import { say, unsay } from "./notices.js";

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
  const what = one.by_hand ? "Settlement by hand" : "Correction";
  say(`decided-${one.id}`, {
    level: LEVELS[one.state] ?? "news", title: `${what} of round ${one.number}: ${one.state}`, text: decidedWords(one),
    actions: [{ words: "Understood", act: read }],
  });
}

function decidedWords(one) {
  const by = one.decided_by ? ` by ${one.decided_by}` : "";
  if (one.state === "approved") return `Approved${by}. The round is settled again and the stacks are as they are now shown.`;
  if (one.state === "refused") return `Refused${by}: \u201c${one.decision_reason}\u201d. Nothing has changed.`;
  return "The round was settled with its cards meanwhile. Nothing came of these points.";
}
