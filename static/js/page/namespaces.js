/* Namespace picker of the header: typing finds one among thousands, Enter shows it; ticking several and Enter or the
   button shows them together, as ?namespace=a,b. The page has the first hundred names of when it was made; those of now
   are fetched when the picker is opened. Without this script the links and the form work as they are. */
import { visible } from "./invisible_characters.js";
import { ofShownMoment } from "./shown_moment.js";

export function start() {
  const SHOWN = 100; // maximum number of lines; typing finds the others
  const state = { names: null, request: null, ticked: new Set(), shown: new Set() };

  const form = () => document.querySelector(".picker");
  const box = () => document.getElementById("namespace-q");
  const list = () => document.getElementById("namespace-choices");
  const rendered = () => [...list().querySelectorAll("input")].map((input) => input.value);

  function hrefOf(names) {
    const query = new URLSearchParams(new FormData(form()));
    query.delete("namespace");
    if (names.length) query.set("namespace", names.join(","));
    const text = query.toString().replaceAll("%2C", ",");
    return form().getAttribute("action") + (text ? `?${text}` : "");
  }

  function line(name) {
    const item = document.createElement("li");
    const tick = Object.assign(document.createElement("input"), { type: "checkbox", name: "namespace", value: name });
    tick.setAttribute("aria-label", `${name} too`);
    tick.checked = state.ticked.has(name);
    const link = Object.assign(document.createElement("a"), { href: hrefOf([name]), textContent: visible(name) });
    if (state.shown.has(name)) link.setAttribute("aria-current", "true");
    item.append(tick, link);
    return item;
  }

  function find() {
    if (!state.names) return;
    const text = box().value.trim().toLowerCase();
    const begins = state.names.filter((name) => name.startsWith(text));
    const holds = state.names.filter((name) => !name.startsWith(text) && name.includes(text));
    const ticked = text ? [] : [...state.ticked];
    const matches = [...new Set([...ticked, ...begins, ...holds])];
    list().replaceChildren(...matches.slice(0, SHOWN).map(line));
    const more = matches.length - SHOWN;
    const message = !state.names.length ? "No namespaces to show." : !matches.length ? "No namespace matches." : more > 0 ? `${more} more: type to find them.` : "";
    document.getElementById("namespace-said").textContent = message;
  }

  async function opened() {
    state.ticked = new Set([...list().querySelectorAll("input:checked")].map((input) => input.value));
    state.shown = new Set(state.ticked);
    box().focus();
    state.names ??= rendered();
    const request = (state.request = fetch(ofShownMoment("/namespaces/")));
    try {
      const { names } = await (await request).json();
      if (state.request !== request) return;
      if (names.length === state.names.length && names.every((name) => state.names.includes(name))) return;
      state.names = names;
      find();
    } catch { /* the names on the page can still be chosen */ }
  }

  function go(names) {
    const link = Object.assign(document.createElement("a"), { href: hrefOf(names) });
    form().append(link);
    link.click(); // as a link, so that an open drawer stays open
    link.remove();
  }

  document.addEventListener("toggle", ({ target }) => {
    if (!target.matches?.(".namespace-pop")) return;
    state.names = state.request = null;
    if (target.open) opened();
  }, { capture: true });

  document.addEventListener("input", ({ target }) => {
    if (target === box()) find();
    else if (target.closest?.("#namespace-choices")) state.ticked[target.checked ? "add" : "delete"](target.value);
  });

  document.addEventListener("submit", (event) => {
    if (event.target !== form()) return;
    event.preventDefault();
    const text = box().value.trim();
    const first = text && list().querySelector("input")?.value;
    if (text && !first) return;
    if (first && !state.ticked.size) go([first]);
    else go([...new Set([...state.ticked, ...(first ? [first] : [])])].sort());
  });
}
