/* What the header's freshness opens: while it is open, how each kind is and which worker says so are asked for. What
   the heartbeat carries for all of them stands above, and goes on without this. */
(() => {
  "use strict";

  const EVERY = 2000; // milliseconds
  const popover = document.querySelector(".fresh-pop");
  const state = { timer: 0 };

  async function ask() {
    clearTimeout(state.timer);
    if (!popover.open) return;
    try {
      const answer = await fetch("/freshness/");
      const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("why");
      if (answer.ok && fresh) show(fresh);
    } catch { /* no connection: the banner says so */ }
    state.timer = setTimeout(ask, EVERY);
  }

  function show(fresh) {
    const old = document.getElementById("why");
    const left = old.querySelector(".why-scroll")?.scrollLeft ?? 0;
    const focused = old.contains(document.activeElement);
    if (focused) return; // somebody is reading it by keyboard
    old.replaceWith(fresh);
    fresh.querySelector(".why-scroll").scrollLeft = left;
    document.dispatchEvent(new CustomEvent("deltaboard:times"));
  }

  popover?.addEventListener("toggle", ask);
})();
