// Whose page this is: who was signed in when the house made it. Another tab may have signed in somebody else since.

/** Their number, as text; empty where nobody was signed in. */
export const openedBy = () => document.body.dataset.openedBy ?? "";

/** Their name. */
export const openedByName = () => document.body.dataset.openedByName ?? "";
