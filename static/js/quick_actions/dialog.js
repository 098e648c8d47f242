/* Dialog of quick actions: it shows an action's page without leaving the page beneath. Its forms post themselves
   (htmx). */

export const PART = "#quick";
const state = { dialog: null, back: null };

function dialog() {
  if (state.dialog?.isConnected) return state.dialog;
  const box = document.createElement("dialog");
  box.className = "dialog quick-dialog";
  box.setAttribute("aria-label", "Quick action");
  box.addEventListener("close", () => {
    box.replaceChildren();
    state.back?.focus?.({ preventScroll: true });
  });
  box.addEventListener("click", ({ target }) => target === box && box.close()); // the backdrop
  document.body.append(box);
  state.dialog = box;
  return box;
}

/* Shows an action's page, beside `cell` if there is one; `back` gets the focus afterwards. */
export async function open(href, back, cell) {
  const box = dialog();
  state.back = back ?? document.activeElement;
  box.replaceChildren(Object.assign(document.createElement("div"), { id: "quick", className: "quick" }));
  if (!box.open) box.showModal();
  try {
    await htmx.ajax("GET", href, { target: `dialog.quick-dialog ${PART}`, select: PART, swap: "outerHTML" });
  } catch {
    // the page is shown below
  }
  if (!box.querySelector(PART)?.childElementCount) location.assign(href); // another page came: show all of it
  else focusFirst(box);
  place(box, cell);
}

function focusFirst(box) {
  const first = box.querySelector("[autofocus]:not(:disabled)") ?? box.querySelector("input:not([type=hidden]), button, a");
  first?.focus();
  if (first?.matches("input:not([type=checkbox])")) first.select();
}

document.addEventListener("htmx:after:swap", () => {
  if (state.dialog?.open && !state.dialog.contains(document.activeElement)) focusFirst(state.dialog);
});

/* Beside the cell that is edited, where there is room. */
function place(box, cell) {
  box.classList.toggle("beside", Boolean(cell));
  if (!cell) return box.removeAttribute("style");
  const at = cell.getBoundingClientRect();
  const own = box.getBoundingClientRect();
  box.style.left = `${Math.max(12, Math.min(at.left, innerWidth - own.width - 12))}px`;
  box.style.top = `${Math.max(12, Math.min(at.bottom + 4, innerHeight - own.height - 12))}px`;
  return undefined;
}

export function close() {
  state.dialog?.close();
}
