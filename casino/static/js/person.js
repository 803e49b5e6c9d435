// Whose page this is: who was signed in when the house made it. Another tab may have signed in somebody else since. And
// the token that goes with what a page sends.

/** Their number, as text; empty where nobody was signed in. */
export const openedBy = () => document.body.dataset.openedBy ?? "";

/** Their name. */
export const openedByName = () => document.body.dataset.openedByName ?? "";

/**
 * The newest token that proves a page of the house sends, also after somebody has signed in beside.
 * @returns {string|null}
 */
export function csrfToken() {
  const kept = /(?:^|; )(?:__Host-)?csrftoken=([^;]*)/.exec(document.cookie); // with its prefix over TLS
  return kept ? decodeURIComponent(kept[1]) : null;
}
