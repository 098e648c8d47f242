/* Navigation of kinds on the left. Heartbeats update the counts of followed kinds and mark those with problems; a kind
   that becomes followed moves to the top of its group at once. Counts of other kinds have a date: they are requested
   each minute while a fold shows them, and only then does the worker count them. Folds and pins are stored in cookies,
   so that the server renders them; the search box finds a kind by a part of its name. The pin button is added only
   where the pointer or the focus is, because pages have hundreds of kinds. */

import { icon, parsePage } from "./trusted_html.js";

export function start() {
  const EVERY = 60000; // milliseconds between two requests for dated counts, as often as the worker counts
  const SOON = 1500; // the same while some have not been counted yet
  const TRIES = 8; // requests in a row at that rate
  const SPREAD = 8000; // milliseconds over which open pages spread requests for the same change
  const YEAR = 31536000;
  const BETWEEN = "_";
  const state = { timer: 0, tries: 0, fetching: false, renewing: 0, opened: null };

  const root = () => document.getElementById("kinds");
  const lines = () => [...root().querySelectorAll(".kind-line")];
  const lineOf = (key) => root().querySelector(`.kind-line[data-kind="${CSS.escape(key)}"]`);
  const folds = () => [...root().querySelectorAll("details.rest")];
  const groupOf = (element) => element.closest("[data-group]");
  const chosen = () => new URLSearchParams(location.search).get("namespace") ?? "";
  const keyHere = () => root().querySelector("a[aria-current]")?.parentElement.dataset.kind ?? "";

  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function name(element, title) {
    if (title) element.title = title;
    else element.removeAttribute("title");
  }

  function keep(cookie, parts) {
    document.cookie = `${cookie}=${parts.join(BETWEEN)}; path=/; max-age=${YEAR}; samesite=lax`;
  }

  /* ---- followed kinds ---- */

  function rise(line) {
    const fold = line.closest("details.rest");
    if (!fold) return;
    groupOf(line).querySelector(".first").append(line);
    for (const part of fold.querySelectorAll(".fold-part:not(:has(.kind-line))")) part.remove();
    const left = fold.querySelectorAll(".kind-line").length;
    if (left) put(fold.querySelector("summary span"), `${left} more`);
    else fold.remove();
  }

  function sentence(problem) {
    const since = problem.since ? new Date(problem.since * 1000).toLocaleTimeString() : "";
    return problem.text.replaceAll("{since}", since);
  }

  function showFollowed(beat) {
    if (!root() || !beat.counts) return;
    let unknown = false;
    for (const key of Object.keys(beat.counts)) {
      const line = lineOf(key);
      if (!line) {
        unknown = true;
        continue;
      }
      rise(line);
      const count = line.querySelector(".count");
      const wrong = beat.wrong[key] ?? 0;
      const problem = beat.problems[key] ?? beat.parts?.[key];
      if (count.matches(".dated")) count.classList.remove("dated"); // this runs each second: write only what differs
      count.querySelector("time")?.remove();
      if (count.matches(".bad") !== wrong > 0) count.classList.toggle("bad");
      const title = problem ? sentence(problem) : wrong ? `${wrong.toLocaleString("en-GB")} wrong` : "";
      if (count.title !== title) name(count, title);
      if (!("followed" in line.dataset)) line.dataset.followed = "";
    }
    for (const line of root().querySelectorAll("[data-followed]")) {
      if (!(line.dataset.kind in beat.counts)) delete line.dataset.followed; // from now on its count has a date
    }
    const changed = beat.cluster?.kinds && beat.cluster.kinds !== root().dataset.names;
    if ((unknown || changed) && !state.renewing) state.renewing = setTimeout(renew, Math.random() * SPREAD);
  }

  /* ---- dated counts ---- */

  const areShown = () => Boolean(root()?.querySelector("details.rest[open], [data-pinned]:not([data-followed])"));

  function showDated(counts) {
    let missing = false;
    for (const line of lines()) {
      const entry = counts[line.dataset.kind];
      if (!entry || "followed" in line.dataset) continue;
      const [count, at, words] = entry;
      missing ||= at === null && line.checkVisibility();
      const element = line.querySelector(".count");
      put(element.firstElementChild, count === null ? "–" : count.toLocaleString("en-GB"));
      name(element, words);
      element.classList.remove("bad");
      element.classList.toggle("dated", count !== null);
      showDate(element, count === null ? null : at);
    }
    return missing;
  }

  function showDate(element, at) {
    let time = element.querySelector("time");
    if (at === null) return time?.remove();
    if (!time) element.append(time = document.createElement("time"));
    const date = new Date(at * 1000);
    time.dateTime = date.toISOString();
    put(time, date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }));
    time.removeAttribute("title"); // page/ages.js says UTC and local time
  }

  async function ask() {
    clearTimeout(state.timer);
    if (document.hidden || !areShown()) return;
    let missing = false;
    try {
      const answer = await fetch("/kinds/counts/");
      const { names, counts } = await answer.json();
      if (names && names !== root().dataset.names) await renew();
      missing = showDated(counts);
    } catch { /* no connection: the page says so, and each count keeps its date */ }
    state.tries = missing ? state.tries + 1 : 0;
    clearTimeout(state.timer);
    state.timer = setTimeout(ask, missing && state.tries < TRIES ? SOON : EVERY * (0.9 + Math.random() * 0.2));
  }

  /* The cluster has other kinds than this page was rendered with. */
  async function renew() {
    if (state.fetching) return;
    state.fetching = true;
    try {
      const about = new URLSearchParams({ key: keyHere(), namespace: chosen() });
      const answer = await fetch(`/kinds/?${about}`);
      const fresh = parsePage(await answer.text()).getElementById("kinds");
      if (!answer.ok || !fresh) return;
      const focused = document.activeElement?.closest(".kind-line")?.dataset.kind;
      const text = document.getElementById("kind-q").value;
      const typing = document.activeElement?.id === "kind-q";
      for (const was of root().querySelectorAll("[data-followed] [data-count]")) { // heartbeats are newer than the response
        const is = fresh.querySelector(`[data-count="${CSS.escape(was.dataset.count)}"]`);
        if (is) put(is, was.textContent);
      }
      root().replaceWith(fresh);
      settle();
      document.getElementById("kind-q").value = text;
      if (text) find();
      if (typing) document.getElementById("kind-q").focus();
      else if (focused) lineOf(focused)?.querySelector("a").focus();
    } catch { /* tried again with the next request */ } finally {
      state.fetching = false;
      state.renewing = 0;
    }
  }

  /* ---- folds and pins ---- */

  function keepFolds() {
    if (state.opened) return; // the search box has opened them, not the user
    keep("folds", folds().filter((fold) => fold.open).map((fold) => groupOf(fold).dataset.group));
    state.tries = 0;
    ask();
  }

  function offerPin({ target }) {
    const line = target.closest?.("#kinds .kind-line:not([data-fixed])");
    if (!line || line.querySelector(".pin")) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "pin" });
    button.append(icon("i-pin"));
    button.setAttribute("aria-pressed", String("pinned" in line.dataset));
    button.setAttribute("aria-label", `Keep ${line.querySelector(".kind").textContent} at the top`);
    line.append(button);
  }

  function withdrawPins() {
    for (const button of document.querySelectorAll("#kinds .pin")) {
      if (!button.parentElement.matches(":hover, :focus-within")) button.remove();
    }
  }

  function pin(button) {
    const line = button.closest(".kind-line");
    const pinned = line.toggleAttribute("data-pinned");
    button.setAttribute("aria-pressed", String(pinned));
    if (pinned) rise(line);
    keep("pins", lines().filter((each) => "pinned" in each.dataset).map((each) => each.dataset.kind));
    button.focus();
  }

  /* ---- the box ---- */

  function find() {
    const text = document.getElementById("kind-q").value.trim().toLowerCase();
    if (text && !state.opened) state.opened = new Map(folds().map((fold) => [groupOf(fold).dataset.group, fold.open]));
    let matchCount = 0;
    for (const line of lines()) {
      const fits = `${line.querySelector(".kind").textContent} ${line.dataset.kind}`.toLowerCase().includes(text);
      line.hidden = !fits;
      matchCount += fits;
    }
    for (const fold of folds()) fold.open = text ? true : state.opened?.get(groupOf(fold).dataset.group) ?? fold.open;
    root().toggleAttribute("data-finding", Boolean(text));
    for (const part of root().querySelectorAll(".kinds, .fold-part")) part.hidden = !part.querySelector(".kind-line:not([hidden])");
    root().querySelector(".none-found").hidden = matchCount > 0;
    if (!text) setTimeout(() => { state.opened = null; }); // toggle events come after this
  }

  function onKey(event) {
    if (event.target.id !== "kind-q" || event.isComposing) return;
    if (event.key === "Enter") lines().find((line) => !line.hidden)?.querySelector("a").click();
    else if (event.key === "Escape" && event.target.value) {
      event.target.value = "";
      find();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /* Links to namespaced kinds carry the chosen namespaces, which may have changed since the page was rendered. */
  function keepNamespaces({ target }) {
    const link = target.closest("#side a[href]");
    if (!link || link.parentElement.matches("[data-cluster-wide]") || link.pathname === "/controllers/") return;
    link.search = chosen() ? `?namespace=${chosen()}` : "";
  }

  /* ---- events ---- */

  function settle() {
    for (const fold of folds()) fold.addEventListener("toggle", keepFolds);
  }

  document.addEventListener("deltaboard:beat", ({ detail: beat }) => showFollowed(beat));
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("click", keepNamespaces, { capture: true });
  document.addEventListener("input", ({ target }) => target.id === "kind-q" && find());
  document.addEventListener("keydown", onKey, { capture: true });
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("#kinds .pin");
    if (button) pin(button);
  });
  for (const name of ["pointerover", "focusin"]) document.addEventListener(name, offerPin);
  for (const name of ["pointerout", "focusout"]) document.addEventListener(name, () => setTimeout(withdrawPins));

  if (root()) {
    settle();
    for (const line of lines()) if (!line.closest("details.rest") && !line.querySelector("time")) line.dataset.followed = "";
    ask();
    root().querySelector("a[aria-current]")?.scrollIntoView({ block: "nearest" });
  }
}
