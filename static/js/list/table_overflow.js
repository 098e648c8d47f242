/* A table wider than its card scrolls sideways, and only then: its header is not sticky meanwhile. */

export function start() {
  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const card = target.closest(".table-card");
      const table = card.querySelector("table");
      card.toggleAttribute("data-ui-scroll", table.offsetWidth > card.clientWidth);
    }
  });
  for (const element of document.querySelectorAll(".table-card, .table-card > table")) widths.observe(element);
}
