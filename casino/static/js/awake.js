// Keeps the screen on while this page is in view. A device that cannot do it, or will not, goes dark as before.

async function stayAwake() {
  if (document.visibilityState !== "visible") return;
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // Refused, for example with a low battery: asked again when the page comes back into view.
  }
}

document.addEventListener("visibilitychange", stayAwake);
stayAwake();
