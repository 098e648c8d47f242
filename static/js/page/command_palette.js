/* Command palette (Ctrl K): the server searches for the typed text, arrow keys choose a hit, Enter opens it. The focus
   stays in the input; aria-activedescendant names the chosen line. */

import { parsePage } from "./trusted_html.js";
import { ofShownMoment } from "./shown_moment.js";

export function start() {
  const WAIT = 60; // milliseconds after a key press, so that fast typing sends one request
  const dialog = document.getElementById("palette");
  const input = document.getElementById("palette-q");
  const hits = document.getElementById("palette-hits");
  const statusLine = document.getElementById("palette-said");
  const state = { timer: 0, asking: null, go: false };
  if (!dialog) return;

  const options = () => [...hits.querySelectorAll("[role=option]")];
  const chosen = () => hits.querySelector("[aria-selected=true]");

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
  }

  function fill(html) {
    const page = parsePage(html);
    const words = page.querySelector("[data-said]");
    if (!words) throw new Error("no answer to the question"); // a proxy's sign-in, perhaps
    words.remove();
    hits.replaceChildren(...page.body.children);
    options().forEach((option, index) => { option.id = `hit-${index}`; });
    statusLine.textContent = words.textContent;
    choose(options()[0]);
    if (state.go) chosen()?.click();
    state.go = false;
  }

  async function ask() {
    state.asking?.abort();
    const asking = state.asking = new AbortController();
    try {
      const query = new URLSearchParams({ q: input.value });
      const answer = await fetch(ofShownMoment(`/search/?${query}`), { signal: asking.signal });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      fill(await answer.text());
    } catch (error) {
      if (error.name === "AbortError") return;
      state.go = false;
      hits.replaceChildren();
      choose(null);
      statusLine.textContent = "The server does not answer just now.";
    }
  }

  function open() {
    if (dialog.open || document.querySelector("dialog[open]")) return;
    input.value = "";
    state.go = false;
    dialog.showModal();
    input.focus();
    ask();
  }

  /* Opens the chosen hit, or the first one of the response that is still on its way. */
  function go() {
    if (chosen()) chosen().click();
    else state.go = true;
  }

  function move(step) {
    const all = options();
    if (all.length) choose(all[(all.indexOf(chosen()) + step + all.length) % all.length]);
  }

  input.addEventListener("input", () => {
    clearTimeout(state.timer);
    state.asking?.abort(); // Enter must not open a hit of an older text, nor of one whose answer is on its way
    choose(null);
    state.go = false;
    state.timer = setTimeout(ask, WAIT);
  });

  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const keys = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: go };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    open();
  });

  /* An object of the list on this page opens in the drawer; any other opens its own page. */
  function openBeside(event) {
    const hit = event.target.closest("[data-object]");
    if (!hit || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (hit.dataset.list !== location.pathname || !document.getElementById("drawer")) return;
    event.preventDefault();
    dialog.close();
    document.dispatchEvent(new CustomEvent("deltaboard:open", { detail: { object: hit.dataset.object } }));
  }

  hits.addEventListener("click", openBeside);

  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-palette]")) open();
    if (target === dialog) dialog.close(); // the backdrop
  });
}
