// What this tablet keeps for itself, so that neither a lost connection nor a closed page loses an entry or a key.

import { newKey } from "../keys.js";
import { openedBy, openedByName } from "../person.js";

const PREFIX = "dealing:";

function store() {
  try {
    return window.localStorage;
  } catch {
    return null; // a browser that keeps nothing: the page still works as long as it is open
  }
}

/**
 * What is kept under a name, whoever entered it.
 * @param {string} name
 * @returns {{value: *, by: string, name: string}|null}
 */
export function keptHere(name) {
  try {
    return JSON.parse(store()?.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

/** The value that this page's person kept, or null: nobody acts with what another entered. */
export function kept(name) {
  const here = keptHere(name);
  return here?.by === openedBy() ? here.value : null;
}

/**
 * What another person kept; null too where it does not say whose it is.
 * @param {string} name
 * @returns {{value: *, by: string, name: string}|null}
 */
export function keptByAnother(name) {
  const here = keptHere(name);
  return here?.by && here.by !== openedBy() ? here : null;
}

/** Keep a value under the name of this page's person; true if the tablet really did. */
export function keep(name, value) {
  try {
    store().setItem(PREFIX + name, JSON.stringify({ value, by: openedBy(), name: openedByName() }));
    return true;
  } catch {
    return false;
  }
}

/**
 * The number of this device at a table, whoever deals: it has one once a round was begun on it there. The house hears each
 * such device for itself, because only on these rounds can lie that nobody has sent.
 * @param {string} session
 */
export const tabletOf = (session) => keptHere(`tablet:${session}`)?.value ?? "";

/** A round of this session was begun on this device. */
export function isTablet(session) {
  if (!tabletOf(session)) keep(`tablet:${session}`, newKey());
}

/** Keep it no longer. */
export function drop(name) {
  try {
    store()?.removeItem(PREFIX + name);
  } catch {
    return;
  }
}

/** Drop what is kept of rounds other than this one and its session's: they are settled or void. */
export function dropOthers(kind, current) {
  const names = Object.keys(store() ?? {}).filter((name) => name.startsWith(`${PREFIX}${kind}:`));
  for (const name of names) if (name !== `${PREFIX}${kind}:${current}`) store().removeItem(name);
}
