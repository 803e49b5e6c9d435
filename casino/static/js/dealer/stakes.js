// Stakes that two players agreed on between themselves (R32): quiet where there are none, and kept from round to round.

import { h, icon, spoken } from "./dom.js";
import { t } from "../language.js";
import { cents, dollars, named, readAmount } from "./words.js";

const QUICK = [2, 5, 10]; // times the limit

/** Build the section. `acts.agree(pair, cents|null)` has two sittings. Gives {element, update(plan, choices)}. */
export function makeStakes(acts) {
  const list = h("ul", { class: "stakes-list" });
  const none = h("p", { class: "soft small" });
  const add = h("button", { class: "button", type: "button", "aria-expanded": "false", "aria-controls": "stake-form", on: { click: () => open(true) } }, icon("plus"), t("Pair stake"));
  const players = h("div", { class: "ticks" });
  const amount = h("input", { class: "input", id: "stake-amount", type: "text", inputmode: "decimal", autocomplete: "off", maxlength: 9, on: { input: () => judge() } });
  const quick = h("div", { class: "quick" });
  const agreed = h("button", { class: "button button--primary", type: "submit" });
  const form = h("form", { class: "stakes-form", id: "stake-form", hidden: true, on: { submit: agree, keydown: (event) => event.key === "Escape" && open(false) } },
    h("fieldset", { class: "field" }, h("legend", {}, t("Between")), players),
    h("div", { class: "field" }, h("label", { for: "stake-amount" }, t("Dollars a point")), h("div", { class: "stakes-amount" }, amount, quick)),
    h("div", { class: "row row--end" }, h("button", { class: "button", type: "button", on: { click: () => open(false) } }, t("Leave it")), agreed));
  const element = h("section", { class: "stakes", "aria-labelledby": "stakes-title" },
    h("div", { class: "row row--apart" }, h("div", {}, h("h2", { class: "plan-title", id: "stakes-title" }, t("Pair stakes")), none), add), list, form);
  let shown = null; // the plan

  function open(on) {
    form.hidden = !on;
    add.hidden = on;
    add.setAttribute("aria-expanded", String(on));
    amount.value = "";
    if (on) showPlayers([]);
    (on ? players.querySelector("input:not(:checked)") ?? amount : add).focus();
    judge();
  }

  function chosen() {
    return [...players.querySelectorAll("input:checked")].map((box) => Number(box.value));
  }

  function showPlayers(pair) {
    const two = shown.dealt_in.length === 2;
    players.replaceChildren(...[...shown.dealt_in].sort((one, other) => one.seat - other.seat).map((seat) => {
      const box = h("input", { type: "checkbox", value: seat.sitting, on: { change: () => judge() } });
      box.checked = two || pair.includes(seat.sitting);
      return h("label", { class: "tick" }, box, h("span", { class: "seat-no" }, spoken(t("Seat ")), String(seat.seat)), seat.player);
    }));
    players.dataset.seats = shown.dealt_in.map((seat) => seat.sitting).join();
  }

  /** Say on the button what is still missing. */
  function judge() {
    const pair = chosen();
    for (const box of players.querySelectorAll("input")) box.disabled = pair.length >= 2 && !box.checked;
    const stake = readAmount(amount.value);
    agreed.textContent = pair.length < 2 ? t("Choose two players") : stake ? t("Agree on {amount}", { amount: dollars(stake) }) : t("Say the stake");
    agreed.disabled = pair.length < 2 || !stake;
  }

  function agree(event) {
    event.preventDefault();
    if (agreed.disabled) return;
    acts.agree(chosen(), readAmount(amount.value));
    open(false);
  }

  return {
    element,
    update(plan, choices) {
      shown = plan;
      const limit = cents(plan.limit);
      element.hidden = !plan.sheet.pair_stakes || plan.dealt_in.length < 2;
      if (element.hidden) return;
      const stakes = choices.pairStakes(plan);
      none.hidden = stakes.length > 0 && plan.dealt_in.length === 2;
      none.textContent = noneWords(stakes, plan, dollars(limit));
      showList(list, plan, stakes, (pair) => {
        acts.agree(pair, null);
        (list.querySelector("button") ?? add).focus();
      });
      if (!quick.children.length) {
        quick.append(...QUICK.map((times) => h("button", { class: "button", type: "button", "data-fill": "stake-amount", "data-with": String((limit * times) / 100) }, dollars(limit * times))));
      }
      if (!form.hidden && players.dataset.seats !== plan.dealt_in.map((seat) => seat.sitting).join()) showPlayers(chosen());
      judge();
    },
  };
}

function noneWords(stakes, plan, amount) {
  if (stakes.length) return t("Everybody else plays for {amount} a point.", { amount });
  return plan.dealt_in.length === 2 ? t("None: both play for {amount} a point.", { amount }) : t("None: everybody plays for {amount} a point.", { amount });
}

function showList(list, plan, stakes, drop) {
  const seats = new Map(plan.dealt_in.map((seat) => [seat.sitting, seat]));
  const key = JSON.stringify([stakes, [...seats.keys()]]);
  if (list.dataset.shown === key) return;
  list.dataset.shown = key;
  list.replaceChildren(...stakes.map((stake) => {
    const [one, other] = stake.sittings.map((sitting) => seats.get(sitting)).sort((a, b) => a.seat - b.seat);
    return h("li", { class: "stake" },
      h("p", { class: "stake-who" }, named(one.player), h("span", { class: "soft" }, t(" and ")), named(other.player)),
      h("p", { class: "stake-limit" }, h("b", {}, dollars(stake.limit)), h("span", { class: "soft" }, t(" a point"))),
      h("button", { class: "button button--icon", type: "button", "aria-label": t("No stake between {one} and {other}", { one: named(one.player), other: named(other.player) }), on: { click: () => drop(stake.sittings) } }, icon("cross")));
  }));
}
