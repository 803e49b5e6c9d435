// The form of an act that was typed in last is there again after a reload and after Back; also one in the desk, which is
// asked for again. It is kept in this tab alone, for who opened the page; who comes to the page in another way finds it empty,
// and so does who comes back after it was answered. A PIN or password is never kept. With the form goes its key: what was sent
// without an answer counts once.

import { openedBy } from "./person.js";

const PLACE = "half-typed";
const came = performance.getEntriesByType("navigation")[0]?.type;

const HIDDEN = ["key", "known"]; // what else is hidden says what the page showed, and that is new
const isKept = (field) => field.name && !["password", "file"].includes(field.type) && (field.type !== "hidden" || HIDDEN.includes(field.name));
const isMark = (field) => field.matches("[type=checkbox], [type=radio]");

/** The form of an act as what it does and what stands in it. */
function read(form) {
  const fields = [...form.elements].filter(isKept);
  return {
    person: openedBy(),
    page: location.pathname,
    action: form.getAttribute("action") ?? "",
    desk: Boolean(form.closest("#desk")),
    fields: fields.map((field) => [field.name, field.value, isMark(field) ? field.checked : null]),
  };
}

function fill(form, kept) {
  for (const [name, value, checked] of kept.fields) {
    const like = [...form.elements].filter((field) => field.name === name && isKept(field));
    const field = checked === null ? like[0] : like.find((one) => one.value === value);
    if (!field) continue;
    if (checked === null) field.value = value;
    else field.checked = checked;
    field.closest("details")?.setAttribute("open", "");
  }
  for (const count of form.querySelectorAll("[data-pieces]")) count.dispatchEvent(new Event("input", { bubbles: true }));
}

const formOf = (kept) =>
  [...document.querySelectorAll(kept.desk ? "#desk form[data-key]" : "form[data-key]")]
    .find((form) => (form.getAttribute("action") ?? "") === kept.action);

function restore() {
  const kept = JSON.parse(sessionStorage.getItem(PLACE) ?? "null");
  if (!kept) return;
  const again = ["reload", "back_forward"].includes(came);
  if (kept.person !== openedBy() || (!again && (kept.sent || kept.page === location.pathname))) sessionStorage.removeItem(PLACE);
  else if (again && kept.page === location.pathname) bring(kept);
}

async function bring(kept) {
  if (kept.desk) await window.htmx.ajax("GET", kept.action, { target: "#desk" });
  const form = formOf(kept);
  if (form) fill(form, kept);
}

function keep(form, sent) {
  if (form) sessionStorage.setItem(PLACE, JSON.stringify({ ...read(form), sent }));
}

document.addEventListener("input", ({ target }) => keep(target.closest?.("form[data-key]"), false));
document.addEventListener("submit", ({ target }) => keep(target.closest("form[data-key]"), true));
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful && detail.requestConfig.verb === "post") sessionStorage.removeItem(PLACE);
});
// What is given up is not kept.
document.addEventListener("click", ({ target }) => {
  if (target.closest("form[data-key] .button--plain[href]")) sessionStorage.removeItem(PLACE);
});
window.addEventListener("load", restore); // when htmx is there
