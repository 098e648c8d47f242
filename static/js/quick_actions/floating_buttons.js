/* Two buttons that float over the row and the cell under the pointer. */

import { editCell } from "./cell_edit.js";
import { menu, rowAt, showMenu } from "./menu.js";
import { standing } from "./permissions.js";

const RESTS = 150; // milliseconds after which the pointer rests
const under = { row: null, cell: null };
let resting = 0;

/* A button that floats over the row or cell under the pointer. Rows are replaced all the time; the button stays. */
function floating(id, label, title, text, press) {
  const existing = document.getElementById(id);
  if (existing) return existing;
  const button = document.createElement("button");
  button.id = id;
  button.type = "button";
  button.className = "icon-button floating";
  button.hidden = true;
  button.tabIndex = -1; // there is a shortcut for it
  button.title = title;
  button.textContent = text;
  button.setAttribute("aria-label", label);
  button.addEventListener("click", () => press(button));
  document.querySelector(".table-card")?.append(button);
  return button;
}

/* Where nothing hovers, and in narrow windows, each row has a button of its own. */
const ownButton = (row) => row.querySelector(".c-more button")?.checkVisibility();

const rowButton = () => floating("row-actions", "Actions of this row", "Actions (a)", "⋯", (button) => {
  if (under.row?.isConnected) showMenu(under.row, button.getBoundingClientRect());
});
const cellButton = () => floating("cell-edit", "Edit this field", "Edit in place (i)", "✎", () => under.cell?.isConnected && editCell(under.cell));

/* Asks for the permission once the pointer rests; until it is denied the button is enabled. */
function mayEdit(button, cell) {
  clearTimeout(resting);
  Object.assign(button, { disabled: false, title: "Edit in place (i)" });
  const link = rowAt(cell)?.querySelector("td.c-name a");
  if (!link) return;
  resting = setTimeout(async () => {
    const why = (await standing(link)).denied["do/field/"];
    if (why && under.cell === cell) Object.assign(button, { disabled: true, title: why });
  }, RESTS);
}

function float(element, over) {
  element.hidden = !over;
  if (!over) return;
  const card = element.parentElement.getBoundingClientRect();
  const box = over.getBoundingClientRect();
  const right = Math.min(box.right, card.right);
  element.style.top = `${box.top - card.top + (box.height - element.offsetHeight) / 2}px`;
  element.style.left = `${right - card.left - element.offsetWidth - 4}px`;
}

document.addEventListener("pointerover", ({ target, pointerType }) => {
  const card = document.querySelector(".table-card");
  if ("readOnly" in document.documentElement.dataset) return;
  if (!card || pointerType === "touch" || target.closest?.(".floating") || menu()?.matches(":popover-open")) return;
  under.row = rowAt(target) ?? null;
  const before = under.cell;
  under.cell = target.closest?.("td[data-field]") ?? null;
  if (menu()) float(rowButton(), under.row && !ownButton(under.row) && under.row);
  float(cellButton(), under.row && under.cell);
  if (under.cell !== before) mayEdit(cellButton(), under.cell);
});
