/* Completion in the filter and in the column picker, as an ARIA combobox: the server sends suggestions, arrow keys
   choose one, Enter or Tab takes it. None is chosen at first: without an arrow key Enter does what it always does. The
   focus stays in the input; aria-activedescendant names the chosen line. */

import { parsePage } from "../page/trusted_html.js";
import { ofShownMoment } from "../page/shown_moment.js";

export function start() {
  const WAIT = 40; // milliseconds after a key press, so that fast typing sends one request
  const OPEN = "data-ui-open"; // morphing leaves attributes that begin with data-ui alone
  const state = { input: null, at: 0, start: 0, timer: 0, asking: null };

  const isOurs = (element) => element?.matches?.("[data-complete]");
  const listOf = (input) => document.getElementById(input.getAttribute("aria-controls"));
  const isOpen = () => Boolean(state.input && listOf(state.input)?.hasAttribute(OPEN));
  const options = () => [...listOf(state.input).querySelectorAll("[role=option]")];
  const chosen = () => listOf(state.input).querySelector("[aria-selected=true]");

  function say(words) {
    const place = document.getElementById(`${listOf(state.input).id}-said`);
    if (place) place.textContent = words;
  }

  /* Sets the input's ARIA attributes, also after a swap that brought the server's. */
  function tell() {
    if (!state.input) return;
    state.input.setAttribute("aria-expanded", String(isOpen()));
    const option = isOpen() && chosen();
    if (option) state.input.setAttribute("aria-activedescendant", option.id);
    else state.input.removeAttribute("aria-activedescendant");
  }

  function choose(option) {
    chosen()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    tell();
  }

  function close() {
    clearTimeout(state.timer);
    state.asking?.abort();
    if (!state.input) return;
    listOf(state.input)?.removeAttribute(OPEN);
    tell();
  }

  function fill(html) {
    const page = parsePage(html);
    const status = page.querySelector("[data-said]");
    if (!status) throw new Error("no answer to the question"); // a proxy's sign-in, perhaps
    state.start = Number(status.dataset.start);
    status.remove();
    const list = listOf(state.input);
    const typed = state.input.value.slice(state.start, state.at);
    const suggestions = [...page.body.children].filter((option) => option.dataset.insert !== typed);
    suggestions.forEach((option, index) => { option.id = `${list.id}-${index}`; });
    const insert = isOpen() && chosen()?.dataset.insert; // chosen while the answer to the last letters was on its way
    list.replaceChildren(...suggestions);
    suggestions.find((option) => option.dataset.insert === insert)?.setAttribute("aria-selected", "true");
    list.toggleAttribute(OPEN, suggestions.length > 0);
    list.scrollTop = 0;
    if (suggestions.length) list.scrollIntoView({ block: "nearest" }); // the column picker scrolls by itself
    say(suggestions.length ? status.textContent : "");
    tell();
  }

  async function ask() {
    const { input } = state;
    if (!input?.isConnected || document.activeElement !== input) return;
    state.asking?.abort();
    const asking = state.asking = new AbortController();
    state.at = input.selectionStart;
    const about = input.dataset.complete === "path"
      ? { path: input.value.slice(0, state.at) }
      : { q: input.value, caret: state.at };
    try {
      const url = ofShownMoment(`${input.form.getAttribute("action")}complete?${new URLSearchParams(about)}`);
      const answer = await fetch(url, { signal: asking.signal });
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
      const html = await answer.text();
      if (!asking.signal.aborted) fill(html);
    } catch (error) {
      if (error.name !== "AbortError") close(); // typing goes on without help
    }
  }

  function soon(input) {
    if (state.input !== input) close();
    state.input = input;
    if (isOpen()) choose(null);
    clearTimeout(state.timer);
    state.timer = setTimeout(ask, WAIT);
  }

  function take(option) {
    const { input } = state;
    const { insert } = option.dataset;
    const goesOn = option.hasAttribute("data-goes-on");
    const rest = input.value.slice(state.at);
    close();
    input.value = input.value.slice(0, state.start) + insert + rest;
    const end = state.start + insert.length;
    input.setSelectionRange(end, end);
    input.dispatchEvent(new CustomEvent("input", { bubbles: true, detail: { taken: !goesOn } }));
  }

  function move(step) {
    const all = options();
    const from = all.indexOf(chosen());
    const to = from < 0 ? (step > 0 ? 0 : all.length - 1) : from + step;
    choose(all[to] ?? null); // beyond either end none is chosen, as at first
  }

  const KEYS = {
    ArrowDown: () => (isOpen() ? move(1) : ask()),
    ArrowUp: () => isOpen() && move(-1),
    Enter: () => isOpen() && chosen() && (take(chosen()), true),
    Tab: () => isOpen() && chosen() && (take(chosen()), true),
    Escape: () => isOpen() && (close(), true),
  };

  document.addEventListener("input", ({ target, detail }) => {
    if (!isOurs(target)) return;
    if (detail?.taken) close();
    else soon(target);
  });

  document.addEventListener("keydown", (event) => {
    if (!isOurs(event.target) || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    state.input = event.target;
    if (!Object.hasOwn(KEYS, event.key)) return;
    const did = KEYS[event.key]();
    if (did !== false && did !== null) event.preventDefault();
    if (!event.defaultPrevented && event.key === "Enter") close();
  }, { capture: true });

  document.addEventListener("pointerdown", (event) => {
    const option = event.target.closest?.(".completions [role=option]");
    if (!option || event.button) return;
    event.preventDefault(); // the focus stays
    if (state.input && listOf(state.input) === option.parentElement) take(option);
  });

  document.addEventListener("focusout", ({ target }) => {
    if (target === state.input) close();
  });

  document.addEventListener("htmx:after:swap", tell);
}
