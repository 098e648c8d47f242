/* Closes every popover but the one around `except`. */
export function closePopovers(except) {
  for (const open of document.querySelectorAll("details.pop[open]")) {
    if (!open.contains(except)) open.open = false;
  }
}
