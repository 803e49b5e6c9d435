// The service worker of the dealer's page: it keeps the page of whoever has it open, with its files, so that it opens while
// the network is away. Where the house answers, its answer is what is shown; nothing of the API and nothing that is sent
// passes here. Each version of the files has a keeper and a store of its own, and drops those of others.

const VERSION = new URL(location.href).searchParams.get("v");
const STORE = `dealing-${VERSION}`;
const KEPT_FOR = 4 * 3_600_000; // milliseconds: after so long without an act the house has signed a dealer out
const PATIENCE = 10_000; // milliseconds: a network that neither answers nor fails is away
const PAGE = /^\/dealer\/sessions\/\d+\/$/;
const AWAY = new Set([502, 504]); // a proxy is there, the house is not
const isLarge = (path) => path.startsWith("/static/pyodide/") || path.startsWith("/dealer/tablet/"); // taken from here, never asked for again
const isFile = (path) => path.startsWith("/static/") || isLarge(path);
let turn = Promise.resolve(); // pages are kept and forgotten one after the other
const shownFromBefore = new Set(); // the windows whose page came from here: their files do too, without waiting for the network

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(begin()));
self.addEventListener("message", (event) => event.waitUntil(hear(event.data)));
self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (event.request.mode === "navigate" && (PAGE.test(pathname) || pathname === "/dealer/")) event.respondWith(open(event, pathname));
  else if (isFile(pathname)) event.respondWith(file(event, pathname));
});

async function begin() {
  for (const name of await caches.keys()) if (name.startsWith("dealing-") && name !== STORE) await caches.delete(name);
  await self.clients.claim();
}

/** Keep files, and with them a page; without either, no page but those of whoever opened the page that asks. */
async function hear({ path, by, files = [] }) {
  const store = await caches.open(STORE);
  await Promise.all(files.map(async (name) => (await store.match(name)) ?? store.add(new Request(name, { cache: "no-cache" }))));
  turn = turn.then(() => (path ? keep(store, path, by) : forgetOthers(store, by))).catch(() => {}); // the network went meanwhile
  await turn;
}

/** Keep a page, if the house gives it to this very person in this very version: one page, the last. */
async function keep(store, path, by) {
  const answer = await fetch(path, { cache: "no-store" });
  const text = await answer.text();
  const theirs = text.includes(`data-opened-by="${by}"`) && text.includes(`data-shell="${VERSION}"`);
  if (!answer.ok || answer.redirected || !theirs) return;
  for (const page of await pages(store)) await store.delete(page);
  const headers = new Headers(answer.headers);
  headers.set("X-Kept-At", Date.now());
  headers.set("X-Kept-For", by);
  await store.put(path, new Response(text.replace("<html ", `<html data-kept="${Date.now()}" `), { headers }));
}

async function forgetOthers(store, by) {
  for (const page of await pages(store)) if ((await store.match(page)).headers.get("X-Kept-For") !== by) await store.delete(page);
}

const pages = async (store) => (await store.keys()).filter(({ url }) => PAGE.test(new URL(url).pathname));

/** What is kept for this address and may still be shown; for the list of tables, the way to the page that is kept. */
async function kept(pathname) {
  const store = await caches.open(STORE);
  for (const page of await pages(store)) {
    const path = new URL(page.url).pathname;
    if (path !== pathname && pathname !== "/dealer/") continue;
    const answer = await store.match(page);
    if (Date.now() - Number(answer.headers.get("X-Kept-At")) > KEPT_FOR) return null;
    return path === pathname ? answer : Response.redirect(path);
  }
  return null;
}

async function open(event, pathname) {
  const before = await kept(pathname);
  if (!before) return fetch(event.request);
  const late = new Promise((resolve) => { setTimeout(resolve, PATIENCE, null); });
  const answer = await Promise.race([fetch(event.request), late]).catch(() => null);
  if (answer && !AWAY.has(answer.status)) return answer;
  shownFromBefore.add(event.resultingClientId);
  return before;
}

async function file(event, pathname) {
  const store = await caches.open(STORE);
  const before = await store.match(event.request);
  if (before && (isLarge(pathname) || shownFromBefore.has(event.clientId))) return before;
  return fetch(event.request).catch((error) => {
    if (before) return before;
    throw error;
  });
}
