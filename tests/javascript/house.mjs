// A browser as small as the scripts of a tablet need it: what it keeps, one page, and a house that answers as it is told.

import { mock } from "node:test";

const stored = new Map();

/** A tablet's storage, which can be full. */
export const storage = {
  full: false,
  getItem: (name) => stored.get(name) ?? null,
  setItem(name, text) {
    if (storage.full) throw new Error("QuotaExceededError");
    stored.set(name, text);
  },
  removeItem: (name) => stored.delete(name),
};

/** Everything that was asked of the house: {method, path, body}. */
export const asked = [];
const answers = [];

/** What the house answers next, in turn: [status, body], or "away". */
export const answering = (...next) => answers.push(...next);

/** A tablet that has just been switched on. */
export function begin() {
  stored.clear();
  storage.full = false;
  asked.length = answers.length = 0;
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
}

/** Let so many milliseconds pass, and everything that follows from them. */
export async function pass(milliseconds = 0) {
  mock.timers.tick(milliseconds);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

globalThis.window = { localStorage: storage };
globalThis.setInterval = () => 0; // nothing ticks by itself
globalThis.document = { documentElement: { dataset: {} }, cookie: "csrftoken=token", body: { dataset: { openedBy: "4", openedByName: "Dana" } }, getElementById: (id) => (id === "dealer" ? { dataset: {} } : null), querySelector: () => null, addEventListener: () => {}, querySelectorAll: () => [] };
globalThis.window.addEventListener = () => {};
globalThis.fetch = async (path, { method, body }) => {
  asked.push({ method, path, body: body && JSON.parse(body) });
  const answer = answers.shift() ?? "away";
  if (answer === "away") throw new TypeError("Failed to fetch");
  const [status, data] = answer;
  return { status, ok: status < 400, json: async () => data };
};
