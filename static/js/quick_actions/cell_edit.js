/* In-place edit of a cell that shows a plain field of spec. */

import { open } from "./dialog.js";
import { fieldHref, rowAt } from "./menu.js";

export function editCell(cell) {
  const link = rowAt(cell)?.querySelector("td.c-name a");
  if (!link) return;
  open(fieldHref(cell, link), link, cell);
}
