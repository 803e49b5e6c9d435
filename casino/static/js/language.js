// The page's language: every text of a script is English here, and its translation comes with the page (data-texts). A text
// without one stays English. Figures, money and times are the same in every language.

const texts = JSON.parse(document.querySelector("[data-texts]")?.dataset.texts || "{}");
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

/** `t("Round {number} is settled.", { number: 7 })` */
export const t = (text, values = {}) => filled(texts[text] ?? text, values);

/** The form for a number, which stands in the text as {count}: `tn("{count} card", "{count} cards", 3)`. */
export function tn(one, many, count, values = {}) {
  const forms = texts[one] ?? [one, many];
  return filled(forms[Number(count) === 1 ? 0 : forms.length - 1], { count, ...values });
}

/** The page's language, for what is asked of the house: `zh-hant` */
export const language = () => document.documentElement.lang;
