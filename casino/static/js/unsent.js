// A form that did not reach the house says so and keeps what was typed. Its key stays, so pressing again counts once; also
// where somebody has to sign in again first, which can be done beside.

import { note } from "./dealer/notices.js";
import { free } from "./keys.js";
import { t } from "./language.js";
import { csrfToken } from "./person.js";

const PATIENCE = 6000;
// A small page that needs a sign-in, and for whoever may not see it the page they are on: whether one of them is there says
// whether a form would arrive.
const ASKED = ["/pin/", ""];

const SAID = {
  away: [t("Not sent; press again, it counts once.")],
  out: [t("Not sent: you are signed out. "), t("Sign in"), t(" beside, then press again, it counts once.")],
  over: [t("You are signed out. What you typed stays here: "), t("sign in"), t(" beside, then go on.")],
};

const keyed = (form) => Boolean(form?.querySelector('input[name="key"]'));

function unsay(form) {
  form.querySelector("[data-unsent]")?.remove();
}

function say(form, kind, sentence = "") {
  unsay(form);
  const [before, link, after] = SAID[kind] ?? [sentence];
  const text = document.createElement("p");
  text.append(before);
  if (link) {
    const signIn = Object.assign(document.createElement("a"), { href: "/sign-in/", target: "_blank", rel: "noopener", textContent: link });
    text.append(signIn, after);
  }
  const box = document.createElement("div");
  box.className = "alert alert--warn";
  box.setAttribute("role", "alert");
  box.dataset.unsent = kind;
  box.append(text);
  const buttons = form.querySelector(".desk-buttons") ?? form.querySelector('button[type="submit"], button:not([type])');
  if (buttons?.parentElement) buttons.before(box);
  else form.append(box);
  box.scrollIntoView({ block: "nearest" });
}

// --- forms that are pages of their own --------------------------------------------------------------------------

/** Whether a form would arrive: `here`, `away`, or `out` where somebody has to sign in. */
async function reach() {
  try {
    for (const page of ASKED) {
      const answer = await fetch(page, { method: "HEAD", redirect: "manual", cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
      if (answer.type !== "opaqueredirect") return answer.status < 500 ? "here" : "away";
    }
    return "out";
  } catch {
    return "away";
  }
}

async function sendOrSay(form, submitter) {
  unsay(form);
  const state = await reach();
  free(form);
  if (state !== "here") {
    say(form, state);
    return;
  }
  const known = form.querySelector('input[name="csrfmiddlewaretoken"]');
  if (known) known.value = csrfToken() ?? known.value;
  form.dataset.reached = "yes";
  form.requestSubmit(submitter);
  delete form.dataset.reached;
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.hasAttribute("hx-post") || !keyed(form)) return;
  if (form.dataset.reached) return;
  event.preventDefault();
  sendOrSay(form, event.submitter);
});

// --- forms in a piece of a page ---------------------------------------------------------------------------------

document.addEventListener("htmx:configRequest", ({ detail }) => {
  const newest = csrfToken();
  if (detail.verb === "get" || !newest) return;
  detail.headers["X-CSRFToken"] = newest;
  if (detail.parameters.csrfmiddlewaretoken) detail.parameters.csrfmiddlewaretoken = newest;
});

const sentForm = ({ requestConfig }) => (requestConfig.verb === "post" ? requestConfig.elt.closest("form") : null);

function lost({ detail }) {
  const form = sentForm(detail);
  if (keyed(form)) say(form, "away");
  else if (detail.requestConfig.triggeringEvent?.type === "click") note(t("The house does not answer. Press again in a moment."), "warn");
}

for (const name of ["htmx:sendError", "htmx:timeout"]) document.addEventListener(name, lost);
document.addEventListener("htmx:responseError", (event) => {
  const { xhr } = event.detail;
  if (xhr.status === 401) signedOut(event.detail);
  else if (xhr.status >= 500) lost(event);
});
// Refused before the form was read, as where somebody else has signed in beside: the form stays as it is, and says so.
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (!detail.xhr.getResponseHeader("X-Refused")) return;
  detail.shouldSwap = false;
  const form = sentForm(detail);
  if (form) say(form, "refused", detail.xhr.responseText);
  else note(detail.xhr.responseText, "bad");
});
document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  const form = sentForm(detail);
  if (form) unsay(form);
});

/** The session has ended: what was typed stays, on a page without any the way leads to sign-in and back. */
function signedOut(detail) {
  const form = sentForm(detail);
  const typed = form ?? [...document.querySelectorAll('form[method="post"]')].find((one) => keyed(one) && isTyped(one));
  if (typed) say(typed, form ? "out" : "over");
  else location.assign(detail.xhr.getResponseHeader("X-Sign-In"));
}

/** Whether somebody has changed a field of a form. */
function isTyped(form) {
  return [...form.elements].some((field) => {
    if (!field.name || field.type === "hidden") return false;
    if (field.matches("[type=checkbox], [type=radio]")) return field.checked !== field.defaultChecked;
    if (field.matches("select")) return field.selectedIndex !== Math.max([...field.options].findIndex((one) => one.defaultSelected), 0);
    return field.value !== field.defaultValue;
  });
}
