/* Freshness popover of the header: while it is open, the script fetches the state of each kind and of the workers. The
   values above them come with the heartbeat and need no script of their own. */

import { parsePage } from "./trusted_html.js";

export function start() {
  const EVERY = 2000; // milliseconds
  const popover = document.querySelector(".fresh-pop");
  const state = { timer: 0 };

  async function ask() {
    clearTimeout(state.timer);
    if (!popover.open) return;
    try {
      const answer = await fetch("/freshness/");
      const fresh = parsePage(await answer.text()).getElementById("why");
      if (answer.ok && fresh) show(fresh);
    } catch { /* no connection: the banner says so */ }
    state.timer = setTimeout(ask, EVERY);
  }

  function show(fresh) {
    const old = document.getElementById("why");
    const left = old.querySelector(".why-scroll")?.scrollLeft ?? 0;
    const focused = old.contains(document.activeElement);
    if (focused) return; // the keyboard focus is in it: do not replace it
    old.replaceWith(fresh);
    fresh.querySelector(".why-scroll").scrollLeft = left;
    document.dispatchEvent(new CustomEvent("deltaboard:times"));
  }

  popover?.addEventListener("toggle", ask);
}
