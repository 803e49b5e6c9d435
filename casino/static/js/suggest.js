// Suggestions under a field that takes a player's name ([data-suggest] has the address they come from): a combobox with a list.
// Without a script the field is a plain input. Whoever is chosen fills the fields of the form, and `known` says which entry was
// meant; typing on makes it a new name again.

import { language, t } from "./language.js";

const WAIT = 150; // milliseconds without a key before the house is asked
const FILLED = ["name", "number", "description"];
let field = null; // the input whose list is shown
let list = null;
let timer = 0;
let asked = 0; // the newest question: an answer to an older one is not shown

const options = () => (list ? [...list.children] : []);
const active = () => options().find((option) => option.getAttribute("aria-selected") === "true");

function close() {
  clearTimeout(timer);
  asked += 1;
  list?.remove();
  field?.setAttribute("aria-expanded", "false");
  field?.removeAttribute("aria-activedescendant");
  field?.removeAttribute("aria-controls");
  field = list = null;
}

/** Make a plain input a combobox, once. */
function prepare(input) {
  if (input.getAttribute("role") === "combobox") return;
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-expanded", "false"]]) {
    input.setAttribute(name, value);
  }
}

function show(input, html) {
  close();
  const found = document.createElement("ul");
  found.className = "suggestions";
  found.id = `${input.id}-players`;
  found.setAttribute("role", "listbox");
  found.setAttribute("aria-label", t("Players"));
  found.innerHTML = html;
  [...found.children].forEach((option, number) => { option.id = `${found.id}-${number}`; });
  if (!found.children.length) return;
  input.closest(".field").append(found);
  [field, list] = [input, found];
  input.setAttribute("aria-expanded", "true");
  input.setAttribute("aria-controls", found.id);
}

async function ask(input) {
  const question = (asked += 1);
  const headers = { "HX-Request": "true", "Accept-Language": language() };
  const answer = await fetch(`${input.dataset.suggest}?${new URLSearchParams({ q: input.value })}`, { headers });
  const html = answer.ok ? await answer.text() : "";
  if (question === asked && document.activeElement === input) show(input, html);
}

function mark(option) {
  for (const one of options()) one.setAttribute("aria-selected", String(one === option));
  field.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function choose(option) {
  const form = field.form;
  for (const name of FILLED) {
    const input = form.elements.namedItem(name);
    if (input) input.value = option.dataset[name];
  }
  const known = form.elements.namedItem("known");
  if (known) known.value = option.dataset.player;
  close();
}

document.addEventListener("focusin", (event) => {
  if (event.target.matches("[data-suggest]")) prepare(event.target);
});

document.addEventListener("input", (event) => {
  const input = event.target;
  if (!FILLED.includes(input.name)) return;
  const known = input.form?.elements.namedItem("known");
  if (known) known.value = "";
  if (!input.dataset.suggest) return;
  prepare(input);
  clearTimeout(timer);
  if (input.value.trim()) timer = setTimeout(() => ask(input), WAIT);
  else close();
});

document.addEventListener("keydown", (event) => {
  if (!list || event.target !== field) return;
  const every = options();
  const at = every.indexOf(active());
  if (event.key === "ArrowDown") mark(every[(at + 1) % every.length]);
  else if (event.key === "ArrowUp") mark(every[(at - 1 + every.length + (at < 0 ? 1 : 0)) % every.length]);
  else if (event.key === "Enter" && active()) choose(active());
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
  event.stopPropagation();
});

document.addEventListener("mousedown", (event) => {
  const option = event.target.closest(".suggestions [role=option]");
  if (!option) return;
  event.preventDefault(); // the field keeps the focus
  choose(option);
});

document.addEventListener("focusout", (event) => {
  if (event.target === field) close();
  else clearTimeout(timer);
});

// Modules run when the page stands; a field with autofocus has the focus by then.
for (const input of document.querySelectorAll("[data-suggest]")) prepare(input);
