/* A cell that is a plain field of spec, edited in place. */

import { open } from "./dialog.js";
import { fieldHref, rowAt } from "./menu.js";

export function editCell(cell) {
  const link = rowAt(cell)?.querySelector("td.c-name a");
  if (!link) return;
  open(fieldHref(cell, link), link, cell);
}
