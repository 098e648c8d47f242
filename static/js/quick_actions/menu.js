/* Menu of a row: its quick actions, a line for each cell that can be edited in place, edit and delete. Actions that the
   account may not do stay in it, with the reason. */

import { visible } from "../page/invisible_characters.js";
import { standing } from "./permissions.js";

const FIELD = "do/field/";

export const menu = () => document.getElementById("row-menu");
export const rowAt = (element) => element?.closest?.(".table tbody tr[data-name]:not([data-gone])");
const current = { row: null };

/* The link to the object whose menu was shown last. */
export const menuLink = () => current.row?.querySelector("td.c-name a");

export function showMenu(row, at) {
  const list = menu();
  const link = row?.querySelector("td.c-name a");
  if (!list || !link) return;
  current.row = row;
  for (const item of list.querySelectorAll("[data-field]")) item.remove();
  for (const item of list.querySelectorAll("a[data-path]")) {
    item.href = new URL(item.dataset.path, link.href).href;
    item.dataset.any ??= item.textContent;
  }
  list.querySelector("a[data-path^='edit/'], a[data-path^='delete/']")?.before(...[...row.querySelectorAll("td[data-field]")].map((cell) => fieldItem(cell, link)));
  tell(list, { denied: {}, titles: {} });
  standing(link).then((permissions) => { if (current.row === row) tell(list, permissions); });
  list.querySelector("[data-row-name]").textContent = visible(row.dataset.name);
  list.showPopover();
  const box = list.getBoundingClientRect();
  list.style.top = `${Math.max(8, Math.min(at.bottom + 4, innerHeight - box.height - 8))}px`;
  list.style.left = `${Math.max(8, Math.min(at.right - box.width, innerWidth - box.width - 8))}px`;
  list.querySelector("a")?.focus();
}

/* The page that edits a cell's field. */
export function fieldHref(cell, link) {
  const url = new URL(FIELD, link.href);
  url.searchParams.set("path", cell.dataset.field);
  url.searchParams.set("shown", cell.classList.contains("none") ? "" : cell.textContent);
  return url.href;
}

function fieldItem(cell, link) {
  const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
  const words = `Edit ${head.querySelector("a")?.firstChild.textContent ?? cell.dataset.field}`;
  const item = Object.assign(document.createElement("a"), { href: fieldHref(cell, link), textContent: words });
  Object.assign(item.dataset, { path: FIELD, quick: "", field: cell.dataset.field, any: words });
  return item;
}

function tell(list, permissions) {
  const denied = [];
  for (const item of list.querySelectorAll("a[data-path]")) {
    const why = permissions.denied[item.dataset.path] ?? "";
    item.textContent = permissions.titles[item.dataset.path] ?? item.dataset.any;
    item.title = why;
    if (why) denied.push(item.textContent);
    if (why) item.setAttribute("aria-disabled", "true"); // arrow keys still reach it
    else item.removeAttribute("aria-disabled");
  }
  const words = list.querySelector("[data-row-denied]");
  words.hidden = !denied.length;
  words.textContent = denied.length ? `The cluster's access rules do not allow: ${denied.join(", ")}.` : "";
}

export function hideMenu() {
  if (menu()?.matches(":popover-open")) menu().hidePopover();
}

document.addEventListener("keydown", (event) => {
  if (!menu()?.matches(":popover-open")) return;
  const items = [...menu().querySelectorAll("a")];
  const here = items.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  items[(here + step + items.length) % items.length].focus();
});
