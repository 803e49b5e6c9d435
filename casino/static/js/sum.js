// Counting by denomination: what each line, each asset and all of a count (data-pieces) come to, while it is typed. Enter goes
// on to the next line. Beside it, what the ticked boxes of a deposit had.

import { dollars } from "./money.js";

/** The cents of one line; 0 for what is no whole number, which is refused when it is sent. */
const centsOf = (input) => (/^\d{1,9}$/.test(input.value.trim()) ? Number(input.value) * Number(input.dataset.value) : 0);

function add(count) {
  let total = 0;
  for (const asset of count.querySelectorAll(".pieces")) {
    let sum = 0;
    for (const input of asset.querySelectorAll("[data-value]")) {
      const cents = centsOf(input);
      input.closest(".piece").querySelector("[data-line]").textContent = cents ? dollars(cents) : "";
      sum += cents;
    }
    asset.querySelector("[data-sum]").textContent = dollars(sum);
    total += sum;
  }
  count.querySelector("[data-total]").textContent = dollars(total);
  const boxes = count.querySelector("[data-boxes]");
  if (boxes) {
    boxes.textContent = dollars([...count.querySelectorAll("[data-cents]:checked")].reduce((sum, box) => sum + Number(box.dataset.cents), 0));
  }
}

document.addEventListener("input", (event) => {
  const count = event.target.closest?.("[data-pieces]");
  if (count) add(count);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches?.("[data-pieces] [data-value]")) return;
  event.preventDefault();
  const fields = [...event.target.form.querySelectorAll("input:not([type=hidden]), select, button[type=submit]")];
  const next = fields[fields.indexOf(event.target) + 1];
  next?.closest("details")?.setAttribute("open", "");
  next?.focus();
});

const addAll = (within) => within.querySelectorAll("[data-pieces]").forEach(add);
document.addEventListener("htmx:load", (event) => addAll(event.detail.elt));
addAll(document);
