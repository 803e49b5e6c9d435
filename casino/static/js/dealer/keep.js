// What this tablet keeps for itself, so that neither a lost connection nor a closed page loses an entry or a key.

const PREFIX = "dealing:";

function store() {
  try {
    return window.localStorage;
  } catch {
    return null; // a browser that keeps nothing: the page still works as long as it is open
  }
}

/** The kept value, or null. */
export function kept(name) {
  try {
    return JSON.parse(store()?.getItem(PREFIX + name) ?? "null");
  } catch {
    return null;
  }
}

/** Keep a value; true if the tablet really did. */
export function keep(name, value) {
  try {
    store().setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
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
