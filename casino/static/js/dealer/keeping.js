// Has the dealer's page kept on the tablet (keeper.js), so that it opens without the network. Over plain HTTP a browser keeps
// nothing; the page then works as long as it is open.

import { isFromBefore } from "../clock.js";
import { openedBy } from "../person.js";

const AGAIN = 10 * 60_000;
const KEEPER = "/dealer/tablet/keeper.js";
const version = document.getElementById("dealer").dataset.shell;
let keptAt = null;

/** The files that this page was made of. */
const filesHere = () => performance.getEntriesByType("resource").map(({ name }) => new URL(name))
  .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith("/static/")).map(({ pathname }) => pathname);

/** The house has just answered this page: keep it, now and then. */
export async function keepPage() {
  if (isFromBefore || (keptAt && Date.now() - keptAt < AGAIN)) return;
  keptAt = Date.now();
  await keepFiles(filesHere(), location.pathname);
}

/**
 * Have these files kept, and with them the page at `path`.
 * @param {string[]} files
 * @param {string|null} path
 */
export async function keepFiles(files, path = null) {
  if (!navigator.serviceWorker) return;
  try {
    const { active } = await keeper();
    active.postMessage({ path, by: openedBy(), files: [...new Set(files)] });
  } catch {
    keptAt = null; // the network went meanwhile: asked again with the next answer
  }
}

/** The keeper of this version, once it works. */
async function keeper() {
  await navigator.serviceWorker.register(`${KEEPER}?v=${version}`, { scope: "/dealer/" });
  return navigator.serviceWorker.ready;
}
