// The key / goes to the search box of the bar, or to its page where the bar has no room for it.

document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const box = document.querySelector("[data-search]");
  const place = box?.closest("form");
  if (!place?.checkVisibility()) return;
  event.preventDefault();
  if (box.checkVisibility()) box.select();
  else place.querySelector("a").click();
});
