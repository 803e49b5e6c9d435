// A tablet keeps the dealer's page for whoever had it open (dealer/keeper.js). Every page of somebody else has it dropped:
// nobody is shown another's page, and after a sign-out none is left.

import { openedBy } from "./person.js";

async function forgetOthers() {
  const keeper = await navigator.serviceWorker.getRegistration("/dealer/");
  keeper?.active?.postMessage({ by: openedBy() });
}

if (navigator.serviceWorker) forgetOthers().catch(() => {}); // a browser that keeps nothing may refuse the question too
