/* Filter of lists and of the feed. Typing replaces the address, Enter adds one to the history, and empty fields stay
   out of the address; the form also works without this script. A half-typed term waits: a path, which is costly to
   search, until its value has begun, a space follows or Enter is pressed; an operator until its value has begun. */
export function start() {
  /* Whether a path without an end, or a term without a value, is being typed: .spec.nod, status= */
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

  /* A request that was lost with the connection is sent again once the page is live. */
  let unanswered = false;
  const isFilter = ({ detail }) => detail.ctx?.sourceElement?.id === "filter";
  document.addEventListener("htmx:before:request", (event) => { unanswered ||= isFilter(event); });
  document.addEventListener("htmx:after:request", (event) => { unanswered &&= !isFilter(event); });
  document.addEventListener("deltaboard:state", ({ detail }) => {
    if (unanswered && detail.state === "live") document.getElementById("q")?.dispatchEvent(new Event("input", { bubbles: true }));
  });

  /* In some browsers the cross of a search field empties it without an input event. Enter sends this event, too: its
     request must not be replaced by one for typing, which adds nothing to the history. */
  document.addEventListener("search", ({ target }) => {
    if (target.id === "q" && !target.value) target.dispatchEvent(new Event("input", { bubbles: true }));
  });
}
