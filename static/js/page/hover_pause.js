/* Nothing jumps under the pointer. While a mouse rests on the rows, or while somebody paused the page, rows keep their
   place: what is there goes on changing, what goes is marked, and what would come or move is counted, not kept. Letting
   go has the server send the window anew.

   The rows' holder, [data-hold], carries data-ui-held meanwhile, which place.js reads: "held", or "releasing" from the
   moment of letting go until the window has come. #held says so beside the title, #pause is the switch.
   Touch has no resting pointer, so there only the switch holds. Another script can hold the rows, too: an event
   deltaboard:away on document says {away}. A pause is told to place.js by deltaboard:paused, its end by deltaboard:resumed
   once the rows are whole: then it shows what changed meanwhile. Each time something of this changes, deltaboard:held says {held, paused, waiting}. */
(() => {
  "use strict";

  const HELD = "data-ui-held"; // morphing leaves attributes that begin with data-ui alone
  const REST = 120; // milliseconds on the rows until they are held: passing over them is no rest
  const state = { over: false, paused: false, away: false, resuming: false, waiting: 0, timer: 0 };

  const rows = () => document.querySelector("[data-hold]");
  const isHeld = () => state.over || state.paused || state.away;

  function say() {
    const chip = document.getElementById("held");
    const pause = document.getElementById("pause");
    pause?.setAttribute("aria-pressed", String(state.paused));
    const { paused, waiting: count } = state;
    document.dispatchEvent(new CustomEvent("deltaboard:held", { detail: { held: isHeld(), paused, waiting: count } }));
    if (!chip) return;
    chip.hidden = !isHeld();
    const word = state.paused ? "paused" : "held";
    const waiting = state.waiting === 1 ? "1 change waiting" : `${state.waiting.toLocaleString("en-GB")} changes waiting`;
    const text = isHeld() ? (state.waiting ? `${word} · ${waiting}` : word) : "";
    if (chip.textContent !== text) chip.textContent = text;
  }

  function update() {
    const holder = rows();
    if (holder && isHeld()) holder.setAttribute(HELD, "held");
    else if (holder?.hasAttribute(HELD)) release(holder);
    say();
  }

  const tell = (name) => document.dispatchEvent(new CustomEvent(`deltaboard:${name}`));

  function letGo(holder) {
    holder.removeAttribute(HELD);
    if (state.resuming) tell("resumed");
    state.resuming = false;
  }

  function release(holder) {
    if (!state.waiting) return letGo(holder);
    holder.setAttribute(HELD, "releasing");
    tell("refresh");
  }

  function rest(over) {
    clearTimeout(state.timer);
    if (over === state.over) return;
    if (!over) {
      state.over = false;
      update();
      return;
    }
    state.timer = setTimeout(() => {
      state.over = Boolean(rows()?.matches(":hover"));
      update();
    }, REST);
  }

  document.addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "mouse") rest(Boolean(target.closest?.("[data-hold]")));
  });
  document.documentElement.addEventListener("pointerleave", () => rest(false));

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("#pause")) return;
    state.paused = !state.paused;
    if (state.paused && !state.resuming) tell("paused");
    state.resuming = !state.paused;
    update();
  });

  document.addEventListener("deltaboard:away", ({ detail }) => {
    if (state.away === detail.away) return;
    state.away = detail.away;
    update();
  });

  document.addEventListener("deltaboard:waiting", ({ detail }) => {
    state.waiting = detail.count + (detail.all ? 0 : state.waiting);
    say();
  });

  /* The whole window has come: nothing waits any more, but where rows are held it has only been compared with them. */
  document.addEventListener("deltaboard:frame", ({ detail }) => {
    if (!detail.whole || detail.beside) return;
    const holder = rows();
    if (holder?.getAttribute(HELD) === "held") return;
    state.waiting = 0;
    if (holder?.getAttribute(HELD) === "releasing") letGo(holder);
    say();
  });

  /* A window that was asked for may have been lost with its socket. */
  document.addEventListener("htmx:ws:after:connection", () => {
    if (rows()?.getAttribute(HELD) === "releasing") tell("refresh");
  });

  /* Other rows, of another filter: they are whole. */
  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id === "socket" || rows()?.hasAttribute(HELD)) return;
    state.waiting = 0;
    state.over = state.resuming = false;
    if (state.paused) tell("paused");
    update();
  });
})();
