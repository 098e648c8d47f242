/* Pause of the rows while a mouse rests on them or somebody has pressed Pause, so that nothing jumps under the pointer.
   Rows keep their place: their values still change, deleted rows are marked, and rows that would come or move are only
   counted. After the pause the server sends the window again.

   The rows' holder, [data-hold], carries data-ui-held meanwhile, which page/row_swap.js reads: "held", or "releasing"
   from the end of the pause until the window has come. #held shows it beside the title, #pause is the switch. Touch has
   no resting pointer, so there only the switch holds. Another script can hold the rows, too, by the event
   deltaboard:away on document with {away}. The events deltaboard:paused and, once the rows are complete,
   deltaboard:resumed tell page/row_swap.js to show what changed meanwhile. Each change of this state sends
   deltaboard:held with {held, paused, waiting}. */
export function start() {
  const HELD = "data-ui-held"; // morphing leaves attributes that begin with data-ui alone
  const REST = 120; // milliseconds that the pointer rests on the rows before they are held
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

  /* The whole window has come, so nothing waits any more; held rows have only been compared with it. */
  document.addEventListener("deltaboard:frame", ({ detail }) => {
    if (!detail.whole || detail.beside) return;
    const holder = rows();
    if (holder?.getAttribute(HELD) === "held") return;
    state.waiting = 0;
    if (holder?.getAttribute(HELD) === "releasing") letGo(holder);
    say();
  });

  /* A requested window may have been lost with its socket. */
  document.addEventListener("htmx:ws:after:connection", () => {
    if (rows()?.getAttribute(HELD) === "releasing") tell("refresh");
  });

  /* A swap by another filter brings complete rows. */
  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id === "socket" || rows()?.hasAttribute(HELD)) return;
    state.waiting = 0;
    state.over = state.resuming = false;
    if (state.paused) tell("paused");
    update();
  });
}
