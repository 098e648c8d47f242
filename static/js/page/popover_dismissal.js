/* Dismissal of popovers: a click beside them and Escape close them. */

import { closePopovers } from "./popovers.js";

export function start() {
  document.addEventListener("click", ({ target }) => {
    closePopovers(target);
  });

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector("details.pop[open]");
    if (!open) return;
    open.querySelector("summary").focus();
    open.open = false;
  });
}
