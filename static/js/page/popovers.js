/* Popovers: a click beside them and Escape close them. */

/* Closes every popover but the one around `except`. */
export function closePopovers(except) {
  for (const open of document.querySelectorAll("details.pop[open]")) {
    if (!open.contains(except)) open.open = false;
  }
}

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
