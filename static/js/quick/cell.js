/* A cell that is a plain field of spec, edited in place. */

import { open } from "./dialog.js";
import { rowAt } from "./menu.js";

export function editCell(cell) {
  const link = rowAt(cell)?.querySelector("td.c-name a");
  if (!link) return;
  const url = new URL("do/field/", link.href);
  url.searchParams.set("path", cell.dataset.field);
  url.searchParams.set("shown", cell.classList.contains("none") ? "" : cell.textContent);
  open(url.href, link, cell);
}
