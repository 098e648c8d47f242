/* Text that its cell cuts off, shown as a title while the pointer is over it. */

export function start() {
  document.addEventListener("pointerover", ({ target }) => {
    const cell = target.closest?.(".table td, .feed-name, .feed-kind, .words");
    if (!cell || cell.hasAttribute("title")) return;
    if (cell.scrollWidth <= cell.clientWidth && cell.scrollHeight <= cell.clientHeight) return;
    cell.title = cell.textContent.trim();
  });
}
