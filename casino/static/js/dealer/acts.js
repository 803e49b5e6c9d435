// What the dealer does to the hands, in a running round and in a correction alike.

import { announce, clear, declare, layUnset, misset, showCards, surrender } from "./declarations.js";
import { aim, fillLast, place, step, swapCards, take, takeLast } from "./entry.js";
import { layTyped, sayWhere } from "./typing.js";

/** The acts on a desk's entry. `desk` has: entry, changed() (kept and shown), update() (shown), field(), help(). */
export function makeActs(desk) {
  const said = (change) => (...rest) => {
    change(desk.entry, ...rest);
    desk.changed();
  };

  /** One of two cards that change places. */
  function pick(card) {
    const first = desk.entry.swap.card;
    desk.entry.swap = first === null ? { card } : null;
    if (first !== null && swapCards(desk.entry, first, card)) desk.changed();
    else desk.update();
  }

  function lay(card) {
    if (!place(desk.entry, card)) {
      sayWhere(desk.entry, card);
      return;
    }
    fillLast(desk.entry);
    desk.changed();
  }

  return {
    lay: (card) => (desk.entry.swap ? pick(card) : lay(card)),
    take: (card) => (desk.entry.swap ? pick(card) : take(desk.entry, card) && desk.changed()),
    fillLast: () => fillLast(desk.entry) && desk.changed(),
    swap: (on = !desk.entry.swap) => {
      desk.entry.swap = on ? { card: null } : null;
      desk.update();
    },
    clear: () => {
      clear(desk.entry, desk.entry.hand);
      desk.changed();
    },
    takeLast: (at) => takeLast(desk.entry, typeof at === "number" ? at : desk.entry.hand) && desk.changed(),
    next: () => {
      step(desk.entry, 1);
      desk.update();
    },
    aim: (at, segment) => {
      if (!segment && desk.entry.hand === at) return;
      aim(desk.entry, at, segment);
      desk.update();
    },
    typed: (at, field) => {
      const held = document.activeElement === field;
      if (!layTyped(desk.entry, at, field, pick)) return;
      fillLast(desk.entry);
      desk.changed();
      if (held && desk.entry.hand !== at) desk.field().focus({ preventScroll: true });
    },
    surrender: said(surrender),
    showCards: (at) => {
      showCards(desk.entry, at);
      desk.update();
    },
    announce: said(announce),
    declare: said(declare),
    layUnset: said(layUnset),
    misset: said(misset),
    help: () => desk.help(),
  };
}
