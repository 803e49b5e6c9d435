/* Passkeys: has the browser make one or show one, and sends its answer with the form. The encoding is webauthn-json's. */

import { t } from "./language.js";

const { webauthnJSON } = window;

async function options(form) {
  if (form.dataset.options) return JSON.parse(form.dataset.options);
  const answer = await fetch(form.dataset.optionsFrom, { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(answer.statusText);
  return answer.json();
}

async function go(form) {
  const said = form.querySelector("[data-said]");
  said.textContent = "";
  try {
    const asked = await options(form);
    const made = await (form.dataset.passkey === "make" ? webauthnJSON.create(asked) : webauthnJSON.get(asked));
    form.elements.credential.value = JSON.stringify(made);
    form.submit();
  } catch {
    said.textContent = t("This device gave no passkey. Try again, or use another way.");
  }
}

for (const form of document.querySelectorAll("form[data-passkey]")) {
  form.querySelector("[data-go]").addEventListener("click", () => go(form));
}
