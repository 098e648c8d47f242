/* Bubble with the UTC and local time of an age, for use without a mouse: a tap on an age shows it, and so does the key
   t, which goes through the ages of the current row or page. It is a status, so screen readers speak it. */
export function start() {
  const OFF = "deltaboard-keys-off"; // the switch of page/shortcuts.js
  const GAP = 6; // pixels between an age and its bubble
  const state = { element: null };
  const bubble = Object.assign(document.createElement("output"), { id: "moment", className: "moment" });
  bubble.setAttribute("role", "status");
  document.body.append(bubble);

  const isOff = () => {
    try {
      return localStorage.getItem(OFF) === "1";
    } catch {
      return false;
    }
  };

  function words(element) {
    const date = new Date(element.getAttribute("datetime"));
    if (Number.isNaN(date.getTime())) return "";
    const utc = date.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
    return `${utc}\n${date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" })}`;
  }

  function hide() {
    if (!state.element) return;
    state.element.removeAttribute("data-ui-told");
    state.element = null;
    bubble.textContent = "";
  }

  function tell(element) {
    hide();
    const text = words(element);
    if (!text) return;
    state.element = element;
    element.setAttribute("data-ui-told", "");
    element.scrollIntoView({ block: "nearest" });
    (element.closest("dialog") ?? document.body).append(bubble);
    bubble.textContent = text;
    const place = element.getBoundingClientRect();
    const size = bubble.getBoundingClientRect();
    const below = place.bottom + GAP + size.height < innerHeight;
    bubble.style.left = `${Math.max(GAP, Math.min(place.left, innerWidth - size.width - GAP))}px`;
    bubble.style.top = `${below ? place.bottom + GAP : place.top - GAP - size.height}px`;
  }

  /* The current part of the page: an open popover, the focused row, the drawer, the row at the cursor, or all. */
  function scope() {
    return (
      document.querySelector("details.pop[open]") ??
      document.activeElement?.closest?.("tr, li, #drawer") ??
      document.querySelector("#drawer:not([hidden])") ??
      document.querySelector("tr[data-ui-cursor]") ??
      document.querySelector("main")
    );
  }

  function next() {
    const times = [...scope().querySelectorAll("time[datetime]")].filter((each) => each.checkVisibility());
    const place = times.indexOf(state.element) + 1;
    if (times.length > place) tell(times[place]);
    else hide();
  }

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    if (event.key !== "t" || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isOff()) return;
    if (event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable], dialog")) return;
    event.preventDefault();
    next();
  });

  document.addEventListener("click", ({ target }) => {
    const element = target.closest?.("time[datetime]");
    if (!element || element === state.element || element.closest("a, button, .table tr[data-name]")) hide();
    else tell(element);
  });

  window.addEventListener("scroll", hide, { passive: true, capture: true });
}
