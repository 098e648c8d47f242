/* Copies lines as they are shown, each on a line of its own: a browser breaks a row where its parts meet. Of a selection
   of the whole log, as Ctrl A makes it, all lines are copied, also those that are not drawn. */

import { rowOf } from "./row.js";

const PARTS = "time, .log-source, .log-column, .log-text";

/* The text of a part of a row; of a part that is selected to some extent only, that. */
function textIn(part, range) {
  if (!range) return part.textContent;
  if (!range.intersectsNode(part)) return "";
  const chosen = document.createRange();
  chosen.selectNodeContents(part);
  if (range.compareBoundaryPoints(Range.START_TO_START, chosen) > 0) chosen.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, chosen) < 0) chosen.setEnd(range.endContainer, range.endOffset);
  return chosen.toString();
}

const lineIn = (row, range) => [...row.children].filter((part) => part.matches(PARTS)).map((part) => textIn(part, range)).filter(Boolean).join(" ");

/* What the selection has of the list's lines; null where it has none, or is about more than them. */
function selectedLines({ box, rows, space, entries, options }) {
  const selection = getSelection();
  const isWithin = box.contains(selection.anchorNode) && box.contains(selection.focusNode);
  const isChosen = isWithin || box.contains(document.activeElement) || !box.closest(".drawer");
  if (selection.isCollapsed || !isChosen || !rows.lastChild) return null;
  const range = selection.getRangeAt(0);
  if (range.isPointInRange(space, 0) && range.isPointInRange(rows.lastChild, 0)) {
    const looks = { ...options, link: () => "" };
    return entries.all.map((entry) => lineIn(rowOf(entry, looks)));
  }
  if (!isWithin) return null;
  return [...rows.children].filter((row) => range.intersectsNode(row)).map((row) => lineIn(row, range));
}

/* `listOf` returns the page's list of lines, null where it has none. */
export function startCopying(listOf) {
  document.addEventListener("copy", (event) => {
    if (!listOf() || event.target.closest?.("input, textarea, select")) return;
    const lines = selectedLines(listOf());
    if (!lines?.length) return;
    event.preventDefault();
    event.clipboardData.setData("text/plain", lines.join("\n"));
  });

  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "log" || !(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== "a") return;
    event.preventDefault();
    getSelection().selectAllChildren(event.target);
  });
}
