/* Quick actions without leaving the page. Their links are pages of their own; here they open in a dialog. This file joins
   the modules of quick/ and says which press does what:

   dialog    the dialog, whose content is that of an action's page
   trial     its command and dry run, of what stands in the input
   menu      the menu of a row: `a` on the row under the cursor, the button at the end of the one under the pointer, or,
              where nothing hovers, at the end of each
   rights    what of these the account may not do
   cell      a cell that is a plain field of spec, in place: `i`, or the button in it
   floating  those two buttons */

import { editCell } from "./quick/cell.js";
import { close, open } from "./quick/dialog.js";
import "./quick/floating.js";
import { hideMenu, menu, menuLink, rowAt, showMenu } from "./quick/menu.js";
import "./quick/trial.js";

const CURSOR = "data-ui-cursor"; // see keys.js

document.addEventListener("click", ({ target }) => {
  const more = target.closest(".c-more button");
  if (more) showMenu(rowAt(more), more.getBoundingClientRect());
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.ariaDisabled === "true") {
    event.preventDefault();
  } else if (link.closest("[data-quick-close]") && link.closest("dialog.quick-dialog")) {
    event.preventDefault();
    close();
  } else if (link.matches("[data-quick]")) {
    event.preventDefault();
    hideMenu();
    open(link.href, (menu()?.contains(link) && menuLink()) || link);
  }
}, { capture: true });

document.addEventListener("deltaboard:row-key", ({ detail }) => {
  const row = document.querySelector(`.table tbody tr[${CURSOR}]`);
  if (!row) return detail.say("j and k go to a row.");
  if (detail.key === "a") {
    if (menu()) showMenu(row, row.querySelector("td.c-name").getBoundingClientRect());
    else detail.say("There are no quick actions for these.");
    return undefined;
  }
  const cell = row.querySelector("td[data-field]");
  if (cell) editCell(cell);
  else detail.say("No column here is a plain field of spec: edit the object instead.");
  return undefined;
});
