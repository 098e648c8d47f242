/* Lists and the feed. Typing in the filter replaces the address, Enter adds one to the history; the form works without
   this, here empty fields stay out of the address. A table wider than its place scrolls sideways. */
(() => {
  "use strict";

  document.addEventListener("htmx:config:request", ({ target, detail }) => {
    if (target.id !== "filter") return;
    const { ctx } = detail;
    for (const [name, value] of [...ctx.request.body]) {
      if (value === "") ctx.request.body.delete(name);
    }
    if (ctx.sourceEvent?.type === "submit") ctx.push = "true";
  });

  /* The cross of a search field empties it without an input event in some browsers. */
  document.addEventListener("search", ({ target }) => {
    if (target.id === "q") target.dispatchEvent(new Event("input", { bubbles: true }));
  });
  /* Only then: what scrolls sideways cannot have a header that stays. */
  const widths = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const card = target.closest(".table-card");
      const table = card.querySelector("table");
      card.toggleAttribute("data-ui-scroll", table.offsetWidth > card.clientWidth);
    }
  });
  for (const element of document.querySelectorAll(".table-card, .table-card > table")) widths.observe(element);
})();
