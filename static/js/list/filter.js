/* Lists and the feed. Typing in the filter replaces the address, Enter adds one to the history; the form works without
   this, here empty fields stay out of the address. What is half typed waits: a path, which takes time to look for, until
   its value has begun, a space stands behind it or Enter is pressed; a value until it has begun. A table wider than its
   place scrolls sideways. */
(() => {
  "use strict";

  /* Whether a path is being typed that has no end yet, or anything that has no value yet: .spec.nod, status= */
  function isHalf(input) {
    const token = input.value.slice(0, input.selectionStart).match(/\S*$/)[0];
    const plain = token.replace(/\[[^\]]*\]?/g, "");
    return /^-?\.[^=<>]*$/.test(plain) || /[=,]$/.test(plain);
  }

  document.addEventListener("htmx:config:request", (event) => {
    const { target, detail } = event;
    if (target.id !== "filter") return;
    const { ctx } = detail;
    if (ctx.sourceEvent?.type === "input" && isHalf(document.getElementById("q"))) return event.preventDefault();
    for (const [name, value] of [...ctx.request.body]) {
      if (value === "") ctx.request.body.delete(name);
    }
    if (ctx.sourceEvent?.type === "submit") ctx.push = "true";
  });

  /* What was asked on a line that broke is asked again once the page is live. */
  let unanswered = false;
  const isFilter = ({ detail }) => detail.ctx?.sourceElement?.id === "filter";
  document.addEventListener("htmx:before:request", (event) => { unanswered ||= isFilter(event); });
  document.addEventListener("htmx:after:request", (event) => { unanswered &&= !isFilter(event); });
  document.addEventListener("deltaboard:state", ({ detail }) => {
    if (unanswered && detail.state === "live") document.getElementById("q")?.dispatchEvent(new Event("input", { bubbles: true }));
  });

  /* The cross of a search field empties it without an input event in some browsers. Enter makes this event too: what it
     asks for must not be replaced by what typing asks for, which adds nothing to the history. */
  document.addEventListener("search", ({ target }) => {
    if (target.id === "q" && !target.value) target.dispatchEvent(new Event("input", { bubbles: true }));
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
