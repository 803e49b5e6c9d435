// One key for one act: every form with data-key carries a key made here, and is sent once however often it is tapped. A form
// that the house has sent to many screens at once has no token of this one; it is given here too.

import { openedBy } from "./person.js";

/** A new key. Also where a page comes over plain HTTP, which has no crypto.randomUUID. */
export function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function hidden(form, name) {
  const input = form.querySelector(`input[name="${name}"]`) ?? document.createElement("input");
  if (!input.form) {
    input.type = "hidden";
    input.name = name;
    form.append(input);
  }
  return input;
}

function keyed(form) {
  const token = hidden(form, "csrfmiddlewaretoken");
  if (!token.value) token.value = JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  const person = hidden(form, "opened_by");
  if (!person.value) person.value = openedBy();
  const input = hidden(form, "key");
  if (!input.value) input.value = newKey();
  return input;
}

function keyAll(root) {
  for (const form of root.querySelectorAll("form[data-key]")) keyed(form);
  if (root.matches?.("form[data-key]")) keyed(root);
}

/** The form can be sent again. */
export function free(form) {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("[data-busy]")) {
    button.removeAttribute("aria-busy");
    button.removeAttribute("data-busy");
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" && !form.hasAttribute("hx-post")) return;
  if (form.dataset.sent) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  if (form.hasAttribute("data-key")) keyed(form);
  form.dataset.sent = "yes";
  const button = event.submitter;
  if (button) {
    button.dataset.busy = "yes";
    button.setAttribute("aria-busy", "true");
  }
  setTimeout(() => free(form), 20_000); // a page that never came must not lock the form for ever
}, true);

document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt?.closest?.("form");
  if (!form) return;
  free(form);
  // The act is done and the form still stands there: the next one is another act. A lost answer keeps its key.
  if (event.detail.successful && form.isConnected && form.hasAttribute("data-key")) keyed(form).value = newKey();
});
document.addEventListener("htmx:validation:halted", (event) => free(event.target.closest("form")));
document.addEventListener("htmx:load", (event) => keyAll(event.detail.elt));
window.addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[data-sent]")) free(form);
});
keyAll(document);
