/* Entry point of quick actions, which open in a dialog here; their links also work as pages. It joins the modules of
   quick_actions/ and handles clicks and keys:

   dialog       the dialog, whose content is that of an action's page
   preview      its command and dry run, for the current inputs
   menu         the menu of a row: `a` on the row under the cursor, or the button at the end of the row under the pointer;
                without hover, the button in each row
   permissions  which of these actions the account may not do
   cell         a cell with a plain field of spec, edited in place: `i`, or the button in it
   floating_buttons   those two buttons */

import { editCell } from "./cell_edit.js";
import { close, open } from "./dialog.js";
import "./floating_buttons.js";
import { hideMenu, menu, menuLink, rowAt, showMenu } from "./menu.js";
import "./preview.js";

const CURSOR = "data-ui-cursor"; // see page/shortcuts.js

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
  if ("readOnly" in document.documentElement.dataset) detail.say("This Deltaboard is read-only.");
  else if (cell) editCell(cell);
  else detail.say("No column here can be edited in place: edit the object instead.");
  return undefined;
});
