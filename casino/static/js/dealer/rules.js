// The rules on this tablet (engine.js): loaded while the page is idle, or at once where they are needed, and asked only while
// the house does not answer.

import { language } from "../language.js";

const IDLE = 8000;
const page = document.getElementById("dealer");
const asked = new Map();
let worker = null;
let begun = null;
let number = 0;

/** Whether this browser can run them: one that cannot notes the cards of a round and no more. */
export const canRun = Boolean(window.WebAssembly && window.Worker);

/** What the tablet has to keep for them. */
export const RULES_FILES = [
  ...["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip"].map((name) => `/static/pyodide/${name}`),
  ...["engine.js", "rules.zip"].map((name) => `/dealer/tablet/${name}?v=${page.dataset.shell}`),
];

function ask(name, given) {
  number += 1;
  const id = number;
  return new Promise((resolve, reject) => {
    asked.set(id, { resolve, reject });
    worker.postMessage({ id, name, given: JSON.stringify([page.dataset.sheet, ...given]), language: language() });
  });
}

function heard({ data: { id, text, error } }) {
  const { resolve, reject } = asked.get(id);
  asked.delete(id);
  if (error) reject(new Error(error));
  else resolve(JSON.parse(text));
}

async function begin() {
  worker = new Worker(`/dealer/tablet/engine.js?v=${page.dataset.shell}`, { type: "module" });
  worker.addEventListener("message", heard);
  const broken = new Promise((_, reject) => { worker.addEventListener("error", () => reject(new Error("the rules do not run here"))); });
  try {
    await Promise.race([ask("", []), broken]);
    page.dataset.rules = "ready";
  } catch (error) {
    worker.terminate();
    begun = null; // a network that went on the way: asked again when they are needed
    throw error;
  }
}

/** Have them loaded now. */
function load() {
  begun ??= begin();
  return begun;
}

/** They will be needed soon. */
export function loadRules() {
  if (canRun) load().catch(() => {}); // whoever needs them asks again
}

/** Have them loaded once nobody does anything; `then()` is called when they are there. Gives whether they are to come. */
export function loadWhileIdle(then) {
  const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 0));
  if (canRun) setTimeout(() => idle(() => load().then(then, () => {})), IDLE);
  return canRun;
}

/**
 * Have a piece of work done (tables/rounds/on_tablet.py).
 * @param {string} name
 * @param {...*} given
 * @returns {Promise<object>} as the house would say it
 */
export async function workOut(name, ...given) {
  if (!canRun) throw new Error("this browser cannot run the rules");
  await load();
  return ask(name, given);
}
