// The public board fetches itself. While the house does not answer it says since when it has not.

import { hourAndMinute, serverNow } from "./clock.js";

let heardAt = serverNow();

document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.successful) heardAt = serverNow();
  document.body.toggleAttribute("data-away", !detail.successful);
  const time = document.querySelector(".tv-away time");
  if (time) time.textContent = hourAndMinute(heardAt);
});
