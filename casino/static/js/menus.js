// Menus are details elements and need no script. This lets them go when they are done with, and keeps one that is open
// open while the piece of the page around it comes anew.

const opened = () => [...document.querySelectorAll("details.menu[open]")];
const held = new Map(); // the menus and folds in pieces that are on their way, by id: which of their acts has the focus

/** Open again what was open in the piece that has come, and give back the focus. */
function reopen(event, done) {
  for (const [id, focus] of held) {
    const menu = document.getElementById(id);
    if (menu && !event.target.contains(menu)) continue;
    menu?.setAttribute("open", "");
    if (focus) document.getElementById(focus)?.focus();
    if (done) held.delete(id);
  }
}

document.addEventListener("click", (event) => {
  for (const menu of opened()) {
    if (!menu.contains(event.target) || event.target.closest(".menu-list a, .menu-list button")) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of opened()) {
    menu.open = false;
    menu.querySelector("summary").focus();
    event.preventDefault(); // the key is taken: no form is given up with it
  }
});

/** Keep in mind what is open in a piece that is about to come anew: its menus, and what is unfolded. */
export function hold(piece) {
  for (const menu of piece?.querySelectorAll("details[id][open]") ?? []) {
    held.set(menu.id, menu.contains(document.activeElement) ? document.activeElement.id : "");
  }
}

document.addEventListener("htmx:beforeSwap", (event) => hold(event.detail.target));
document.addEventListener("htmx:afterSwap", (event) => reopen(event, false));
// Once more when it has settled, for then htmx gives what came the attributes that it came with.
document.addEventListener("htmx:afterSettle", (event) => reopen(event, true));
