// Making elements: text is always text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (`on` holds listeners; true, false and null as one expects) and children. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function drawn(name, css) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", css);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("focusable", "false");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#i-${name}`);
  svg.append(use);
  return svg;
}

/** A sign from the page's sprite. */
export const icon = (name) => drawn(name, "icon");

/** The sign of a suit: s, h, d or c. */
export const suitSign = (suit) => drawn({ s: "spade", h: "heart", d: "diamond", c: "club" }[suit], "suit");

/** What only a screen reader hears. */
export const spoken = (text) => h("span", { class: "sr" }, text);

/** A word with its sign. */
export function badge(text, kind, sign) {
  return h("span", { class: `badge${kind ? ` badge--${kind}` : ""}` }, sign ? icon(sign) : null, text);
}

/** Change an attribute only where it differs, so that nothing is announced twice. */
export function set(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

const REST = 400;
let rested = null;

/**
 * Put the focus on the next act. For a moment keys press nothing, so that one press too many of the last act is not the
 * first of this one.
 */
export function focusNext(element) {
  if (!element) return;
  document.body.dataset.resting = "";
  clearTimeout(rested);
  rested = setTimeout(() => delete document.body.dataset.resting, REST);
  element.focus({ preventScroll: true });
}

document.addEventListener("keydown", (event) => {
  const presses = (event.key === "Enter" || event.key === " ") && event.target.closest?.("button");
  if (presses && (event.repeat || "resting" in document.body.dataset)) event.preventDefault();
}, true);

/** Put children in place of what is there, and the focus back on the element with the same data-focus. */
export function refill(element, ...children) {
  const held = document.activeElement?.closest?.("[data-focus]")?.dataset.focus;
  element.replaceChildren(...children.flat(Infinity).filter(Boolean));
  if (held) element.querySelector(`[data-focus="${CSS.escape(held)}"]`)?.focus();
}
