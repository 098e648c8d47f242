/* State of what this page shows: a view and its seq, and perhaps an object opened beside it (#drawer), with its own
   seq.

   A view is named by the element that carries data-view and data-seq; where none does (the editor, an error page) by
   the address in hx-ws:connect. An empty seq means that the part is not complete: the next frame has to replace it.

   A hidden page rests: it follows the heartbeat only, so that its tab's icon and title stay correct. */

/* `keys`: the kinds that decide whether the page is live. */
export const shown = { path: "", view: "", seq: "", keys: [], resting: false };
export const beside = { view: "", seq: "" }; // the opened object, of the same kind, or nothing

export const socketElement = () => document.getElementById("socket");
export const drawn = () => document.querySelector("#drawer [data-view][data-seq]");
export const pathNow = () => location.pathname + location.search;

/* The part of the page that shows a view; null where none does (any more). */
export const partOf = (view) => (view === shown.view ? shown : view && view === beside.view ? beside : null);
export const isWholeBut = (part) => [shown, beside].every((each) => each === part || !each.view || each.seq);
export const isWhole = () => isWholeBut(null);

/* The request to the server: this address, from these states on. */
export function where() {
  return shown.resting ? { view: "", seq: "", beside: "" } : { view: shown.path, seq: shown.seq, beside: beside.seq };
}

/* An event on document for the other scripts. */
export const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`deltaboard:${name}`, { detail }));

export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/* The view and seq that a document was rendered with, and the element that carries them. */
export function rendered(page = document) {
  const elements = [...page.querySelectorAll("main [data-view][data-seq], main[data-view][data-seq]")];
  const element = elements.find((each) => !each.closest("#drawer"));
  if (element) return { view: element.dataset.view, seq: element.dataset.seq, element };
  const query = new URL(page.getElementById("socket")?.getAttribute("hx-ws:connect") ?? "/", location.href).searchParams;
  return { view: query.get("view") ?? "", seq: query.get("seq") ?? "", element: null };
}

/* Reads what the document shows when it is loaded. */
export function adopt() {
  const { view, seq } = rendered();
  Object.assign(shown, { view, seq, path: view ? pathNow() : "" }); // without a view: the heartbeat only
  adoptBeside();
}

/* Reads which object is open beside the view; returns whether it, or its rendering, is another one. */
export function adoptBeside() {
  const { view = "", seq = "" } = drawn()?.dataset ?? {};
  if (view === beside.view && seq === beside.seq) return false;
  Object.assign(beside, { view, seq });
  return true;
}
