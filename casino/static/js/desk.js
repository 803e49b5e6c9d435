// The desk (#desk) holds the form of one act: the one that was asked for last. From the moment that another is asked for, the
// form that lies there takes nothing more, so nothing is typed into the wrong one. And no answer but its own takes a form away,
// whatever else is pressed or heard meanwhile.

let asking = null; // the request for a form that is on its way
let sending = null; // the form that was sent and has no answer yet
let next = null; // the act that was asked for meanwhile: { path, target }
let opener = ""; // the id of the link that opened the form: it has the focus again where the form is given up

const find = () => document.getElementById("desk");

/** Nothing can be typed; where another form comes, the old one is not seen either. */
function close(desk, hide) {
  desk.inert = true;
  if (hide) desk.setAttribute("aria-busy", "true");
}

function open() {
  const desk = find();
  if (!desk) return;
  desk.inert = false;
  desk.removeAttribute("aria-busy");
}

/** Whether a request asks for what shall lie in the desk: a form, or with Cancel none. */
const asks = (desk, { elt, target, verb }) => verb === "get" && (target === desk || desk.contains(elt));

document.addEventListener("htmx:confirm", (event) => {
  const desk = find();
  if (!desk || !sending || !asks(desk, event.detail)) return;
  event.preventDefault(); // first it must be known what becomes of the form that was sent
  close(desk, true);
  next = { path: event.detail.path, target: `#${event.detail.target.id}` };
});

document.addEventListener("htmx:beforeRequest", ({ detail: { requestConfig, xhr } }) => {
  const desk = find();
  if (!desk) return;
  if (asks(desk, requestConfig)) {
    const before = asking;
    asking = xhr;
    if (!desk.contains(requestConfig.elt)) opener = requestConfig.elt.id;
    before?.abort();
    close(desk, true);
    xhr.addEventListener("loadend", () => {
      if (asking !== xhr) return;
      asking = null;
      open(); // on the form that came, or on the old one with all that was typed where none came
    });
  } else if (requestConfig.verb === "post" && desk.contains(requestConfig.elt)) {
    sending = xhr;
    close(desk, false);
    xhr.addEventListener("loadend", () => {
      sending = null;
      const wanted = next;
      next = null;
      open();
      // A refusal has to be read first: the act that was asked for meanwhile is asked for again, or not.
      if (wanted && xhr.status >= 200 && xhr.status < 300) window.htmx.ajax("GET", wanted.path, { target: wanted.target });
    });
  }
});

// Around the desk everything may come anew. Unless the answer brings a form (a refusal), what lies in the desk stays there.
document.addEventListener("htmx:beforeSwap", ({ target, detail }) => {
  const desk = find();
  if (detail.xhr === asking || detail.xhr === sending) open(); // what comes may take the focus
  if (!desk || target === desk || !target.contains(desk) || desk.contains(detail.requestConfig.elt)) return;
  const came = new DOMParser().parseFromString(detail.serverResponse, "text/html").getElementById("desk");
  if (came && !came.firstElementChild) detail.serverResponse = detail.serverResponse.replace('id="desk"', 'id="desk" hx-preserve');
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("details.menu[open]")) return;
  find()?.querySelector(".desk-buttons a")?.click();
});
document.addEventListener("htmx:afterSettle", () => {
  const desk = find();
  if (!desk || desk.firstElementChild || document.activeElement !== document.body) return;
  const link = document.getElementById(opener);
  (link?.closest("details.menu")?.querySelector("summary") ?? link)?.focus();
});
