// What the page says by itself: banners that stay as long as they are true, and short notes that pass.

import { h, icon } from "./dom.js";
import { t } from "../language.js";

const SIGNS = { good: "check", warn: "alert", bad: "alert", news: "info" };

function box(level, title, text, actions, role) {
  return h("div", { class: `alert alert--${level}`, role },
    icon(SIGNS[level]),
    h("div", {}, title ? h("h2", {}, title) : null, text ? h("p", {}, text) : null),
    actions.length ? h("div", { class: "row" }, actions.map(({ words, act, href, primary }) =>
      href
        ? h("a", { class: "button", href, target: "_blank", rel: "noopener" }, words)
        : h("button", { class: `button${primary ? " button--primary" : ""}`, type: "button", on: { click: act } }, words))) : null);
}

/** Say something under a name until `unsay(name)`; the same again changes nothing. */
export function say(name, { level = "news", title = "", text = "", actions = [] }) {
  const place = document.getElementById("notices");
  if (!place) { // its form has gone
    note(`${title}: ${text}`, level);
    return;
  }
  const old = place.querySelector(`[data-notice="${name}"]`);
  const said = JSON.stringify([level, title, text, actions.map((action) => action.words)]);
  if (old?.dataset.said === said) return;
  const notice = box(level, title, text, actions, level === "bad" ? "alert" : "status");
  notice.dataset.notice = name;
  notice.dataset.said = said;
  if (old) old.replaceWith(notice);
  else place.append(notice);
}

export function unsay(name) {
  document.querySelector(`#notices [data-notice="${name}"]`)?.remove();
}

/** A short note that passes by itself. */
export function note(text, level = "news") {
  const place = document.getElementById("toasts");
  const shown = box(level, "", text, [], "status");
  place.replaceChildren(shown);
  setTimeout(() => shown.remove(), 5000);
}

/** The house does not answer; `text` says what becomes of what was entered. */
export function sayAway(text, actions = []) {
  say("away", { level: "warn", title: t("Not connected"), text, actions });
}

/** The house said no: a Refusal of api.js. */
export function sayRefused(refusal) {
  if (refusal.signedOut) {
    say("signed-out", {
      level: "bad", title: t("You are signed out"), text: t("What you entered stays on this page. Sign in beside it, then come back here and go on."),
      actions: [{ words: t("Sign in"), href: "/sign-in/" }],
    });
  } else {
    say("refused", { level: "bad", title: t("The house refused this"), text: refusal.message, actions: [{ words: t("Understood"), act: () => unsay("refused") }] });
  }
}
