/* Columns keep their width while rows change: a shorter or longer word in a cell moves nothing beside it. A column grows
   where what comes does not fit, and stays so; another width of the page, other columns and other rows begin anew.

   Where rows are cards (narrow windows) there are no columns. */
(() => {
  "use strict";

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
})();
