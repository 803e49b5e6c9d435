// What the dealer does to the hands, in a running round and in a correction alike.

import { announce, declare, layUnset, misset, showCards, surrender } from "./declarations.js";
import { aim, place, step, take, takeLast } from "./entry.js";
import { layTyped, sayWhere } from "./typing.js";

/** The acts on a desk's entry. `desk` has: entry, changed() (kept and shown), update() (shown), field(), help(). */
export function makeActs(desk) {
  const said = (change) => (...rest) => {
    change(desk.entry, ...rest);
    desk.changed();
  };
  return {
    lay: (card) => (place(desk.entry, card) ? desk.changed() : sayWhere(desk.entry, card)),
    take: (card) => take(desk.entry, card) && desk.changed(),
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
      if (!layTyped(desk.entry, at, field)) return;
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
