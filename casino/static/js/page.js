// What every page has: clocks, the live sign, keys of forms and what was not sent or typed half, menus, the desk, dialogs, buttons that fill
// a field, sums of counts, the search box, alerts by choice. No page's own work.

import "./clock.js";
import "./live.js";
import "./keys.js";
import "./menus.js";
import "./desk.js";
import "./unsent.js";
import "./half_typed.js";
import "./kept_pages.js";
import "./sum.js";
import "./suggest.js";
import "./undo.js";
import "./search.js";
import "./alerts.js";

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) document.getElementById(opener.dataset.opens)?.showModal();
  if (event.target.closest("[data-closes]")) event.target.closest("dialog")?.close();
  const filler = event.target.closest("[data-fill]");
  if (filler) {
    const field = document.getElementById(filler.dataset.fill);
    field.value = filler.dataset.with;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  }
  const copied = event.target.closest("[data-copy]");
  if (copied) navigator.clipboard.writeText(copied.dataset.copy).then(() => (copied.dataset.copied = ""));
  if (event.target.closest("[data-print]")) window.print();
});
// A page that was asked for as a paper, in English, prints itself.
if (new URLSearchParams(location.search).has("paper")) window.addEventListener("load", () => window.print());

// A browser copies for pages over TLS alone; elsewhere one click on the text selects it.
if (navigator.clipboard) for (const one of document.querySelectorAll("[data-copy]")) one.hidden = false;
// What is folded on a narrow screen alone begins open where there is room: also what comes later, the first time that it comes.
const begun = new Set();
function begin() {
  for (const fold of document.querySelectorAll("details[data-wide]")) {
    if (!begun.has(fold.id) && matchMedia(`(min-width: ${fold.dataset.wide || "60rem"})`).matches) fold.open = true;
    if (fold.id) begun.add(fold.id);
  }
}
begin();
document.addEventListener("htmx:afterSwap", begin);

// A link into what is folded opens it, also in a browser that would not.
function unfold() {
  const place = document.getElementById(location.hash.slice(1));
  (place?.closest("details") ?? place?.querySelector("details.more--head"))?.setAttribute("open", "");
}
window.addEventListener("hashchange", unfold);
unfold();

// What is folded on a paper is printed with it, and its later sheets say on top what they are (css/print.css).
window.addEventListener("beforeprint", () => {
  document.documentElement.style.setProperty("--running-head", JSON.stringify(document.title));
  for (const fold of document.querySelectorAll("details.fold:not([open])")) fold.open = fold.dataset.printed = true;
});
window.addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll("details[data-printed]")) {
    fold.open = false;
    delete fold.dataset.printed;
  }
});
