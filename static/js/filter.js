/* The filter of a list or of the feed: typing replaces the address, Enter adds one to the history. The form works
   without this; here empty fields stay out of the address. */
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
})();
