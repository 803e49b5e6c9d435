// Counting by denomination: what each line, each asset and all of it come to, while it is typed. Enter goes on to the next line.

import { dollars } from "./money.js";

/** The cents of one line; 0 for what is no whole number, which is refused when it is sent. */
const centsOf = (input) => (/^\d{1,9}$/.test(input.value.trim()) ? Number(input.value) * Number(input.dataset.value) : 0);

function add(form) {
  let total = 0;
  for (const asset of form.querySelectorAll(".pieces")) {
    let sum = 0;
    for (const input of asset.querySelectorAll("[data-value]")) {
      const cents = centsOf(input);
      input.closest(".piece").querySelector("[data-line]").textContent = cents ? dollars(cents) : "";
      sum += cents;
    }
    asset.querySelector("[data-sum]").textContent = dollars(sum);
    total += sum;
  }
  form.querySelector("[data-total]").textContent = dollars(total);
}

document.addEventListener("input", (event) => {
  const form = event.target.closest?.("form[data-pieces]");
  if (form) add(form);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches?.("form[data-pieces] [data-value]")) return;
  event.preventDefault();
  const fields = [...event.target.form.querySelectorAll("input:not([type=hidden]), select, button[type=submit]")];
  fields[fields.indexOf(event.target) + 1]?.focus();
});

for (const form of document.querySelectorAll("form[data-pieces]")) add(form);
