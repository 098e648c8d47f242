/* Column widths that stay while rows change, so that a longer or shorter text moves nothing beside it. A column grows
   if a text does not fit, and stays so; another width of the page, other columns or another list start again.

   In narrow windows rows are cards and have no columns. */
export function start() {
  const table = () => document.querySelector("#list .table[data-kind]");
  const heads = () => Array.from(table()?.tHead?.rows[0]?.cells ?? []);
  const state = { width: 0, queued: false };

  function hold() {
    state.queued = false;
    const cells = heads();
    const room = table()?.parentElement.clientWidth ?? 0;
    if (room !== state.width) for (const cell of cells) cell.style.width = "";
    state.width = room;
    const widths = cells.map((cell) => cell.getBoundingClientRect().width);
    if (!widths.some(Boolean)) return;
    cells.forEach((cell, index) => {
      const width = `${widths[index]}px`;
      if (widths[index] && cell.style.width !== width) cell.style.width = width;
    });
  }

  function soon() {
    if (state.queued) return;
    state.queued = true;
    requestAnimationFrame(hold);
  }

  const sizes = new ResizeObserver(soon);

  function watch() {
    sizes.disconnect();
    if (!table()) return;
    state.width = 0;
    for (const element of [table().parentElement, ...heads()]) sizes.observe(element);
  }

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id !== "socket") watch();
  });

  watch();
}
