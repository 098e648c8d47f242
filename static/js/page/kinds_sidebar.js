/* Navigation of kinds on the left. Heartbeats update the counts of followed kinds and mark those with problems.
   Counts of other kinds have a date: they are requested each minute while a fold shows them, and only then does the
   worker count them. Folds, favourites and recently opened kinds are stored in cookies, so that the server renders them;
   a favourite has a line at the top and one in its group. The lines of folded custom resources are fetched when a
   fold opens or the search box has the focus. The star is added only where the pointer or the focus is, or where there
   is no pointer that hovers, because pages have hundreds of kinds. */

import { icon, parsePage } from "./trusted_html.js";
import { ofShownMoment, shownMoment } from "./shown_moment.js";

export function start() {
  const EVERY = 60000; // milliseconds between two requests for dated counts, as often as the worker counts
  const SOON = 1500; // the same while some have not been counted yet
  const TRIES = 8; // requests in a row at that rate
  const SPREAD = 8000; // milliseconds over which open pages spread requests for the same change
  const YEAR = 31536000;
  const MOST_RECENT = 8; // the server shows five of them
  const TOUCH = matchMedia("(hover: none)");
  const BETWEEN = "_";
  const state = { timer: 0, tries: 0, fetching: false, renewing: 0, opened: null, filling: null };

  const root = () => document.getElementById("kinds");
  const lines = () => [...root().querySelectorAll(".kind-line")];
  const linesOf = (key) => [...root().querySelectorAll(`.kind-line[data-kind="${CSS.escape(key)}"]`)];
  const folds = () => [...root().querySelectorAll("details.rest")];
  const groupOf = (element) => element.closest("[data-group]");
  const chosen = () => new URLSearchParams(location.search).get("namespace") ?? "";
  const lacking = () => folds().filter((fold) => !fold.querySelector(".kind-line"));
  const keyHere = () => root().querySelector("a[aria-current]")?.parentElement.dataset.kind ?? "";

  function put(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function name(element, title) {
    if (title) element.title = title;
    else element.removeAttribute("title");
  }

  function kept(cookie) {
    const found = document.cookie.split("; ").find((each) => each.startsWith(`${cookie}=`));
    return found?.slice(cookie.length + 1).split(BETWEEN).filter(Boolean) ?? [];
  }

  function keep(cookie, parts) {
    document.cookie = `${cookie}=${parts.join(BETWEEN)}; path=/; max-age=${YEAR}; samesite=lax`;
  }

  /* ---- followed kinds ---- */

  function sentence(problem) {
    const since = problem.since ? new Date(problem.since * 1000).toLocaleTimeString() : "";
    return problem.text.replaceAll("{since}", since);
  }

  function showFollowed(beat) {
    if (!root() || !beat.counts) return;
    let unknown = false;
    for (const key of Object.keys(beat.counts)) {
      const wrong = beat.wrong[key] ?? 0;
      const problem = beat.problems[key] ?? beat.parts?.[key];
      const title = problem ? sentence(problem) : wrong ? `${wrong.toLocaleString("en-GB")} wrong` : "";
      const shown = linesOf(key);
      unknown ||= !shown.length && !lacking().length;
      for (const line of shown) showLive(line, title, wrong);
    }
    for (const fold of folds()) markFold(fold, beat.wrong);
    for (const line of root().querySelectorAll("[data-followed]")) {
      if (!(line.dataset.kind in beat.counts)) delete line.dataset.followed; // from now on its count has a date
    }
    const changed = beat.cluster?.kinds && beat.cluster.kinds !== root().dataset.names;
    if ((unknown || changed) && !state.renewing) state.renewing = setTimeout(renew, Math.random() * SPREAD);
  }

  /* A project is marked for its followed kinds: those of its lines, or, while it has none, those that the server named. */
  function markFold(fold, wrong) {
    const lines = [...fold.querySelectorAll(".kind-line")];
    const keys = lines.length ? lines.map((line) => line.dataset.kind) : (fold.dataset.kinds ?? "").split(" ");
    const count = fold.querySelector("summary .count");
    const total = keys.reduce((sum, key) => sum + (wrong[key] ?? 0), 0);
    if (!count || count.matches(".bad") === total > 0) return;
    count.classList.toggle("bad");
    name(count, total ? `${total.toLocaleString("en-GB")} wrong` : "");
  }

  function showLive(line, title, wrong) {
    const count = line.querySelector(".count");
    if (count.matches(".dated")) count.classList.remove("dated"); // this runs each second: write only what differs
    count.querySelector("time")?.remove();
    if (count.matches(".bad") !== wrong > 0) count.classList.toggle("bad");
    if (count.title !== title) name(count, title);
    if (!("followed" in line.dataset)) line.dataset.followed = "";
  }

  /* ---- dated counts ---- */

  const areShown = () => Boolean(root()?.querySelector("details.rest[open], .first [data-pinned]:not([data-followed])"));

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
    if (document.hidden || !areShown() || shownMoment()) return; // of the past nothing is counted
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

  async function kindsNow(query = {}) {
    const answer = await fetch(ofShownMoment(`/kinds/?${new URLSearchParams({ key: keyHere(), namespace: chosen(), ...query })}`));
    return answer.ok ? parsePage(await answer.text()).getElementById("kinds") : null;
  }

  /* Lines of all folds: fetched once, even where several events ask for them. */
  function fill() {
    if (lacking().length) state.filling ??= fetchLines().finally(() => { state.filling = null; });
    return state.filling ?? Promise.resolve();
  }

  async function fetchLines() {
    try {
      const fresh = await kindsNow({ all: 1 });
      for (const fold of fresh ? lacking() : []) {
        const full = fresh.querySelector(`details[data-fold="${CSS.escape(fold.dataset.fold)}"]`);
        if (full?.querySelector(".kind-line")) fold.replaceChildren(fold.querySelector("summary"), ...full.querySelectorAll(".fold-part"));
      }
      offerStars();
    } catch { /* each fold has a link to the page of all kinds */ }
  }

  /* The cluster has other kinds than this page was rendered with. */
  async function renew() {
    if (state.fetching) return;
    state.fetching = true;
    try {
      const fresh = await kindsNow(lacking().length ? {} : { all: 1 });
      if (!fresh) return;
      const focused = document.activeElement?.closest(".kind-line")?.dataset.kind;
      const text = document.getElementById("kind-q").value;
      const typing = document.activeElement?.id === "kind-q";
      for (const was of root().querySelectorAll("[data-followed] [data-count]")) { // heartbeats are newer than the response
        for (const is of fresh.querySelectorAll(`[data-count="${CSS.escape(was.dataset.count)}"]`)) put(is, was.textContent);
      }
      root().replaceWith(fresh);
      settle();
      document.getElementById("kind-q").value = text;
      if (text) find();
      if (typing) document.getElementById("kind-q").focus();
      else if (focused) linesOf(focused)[0]?.querySelector("a").focus();
    } catch { /* tried again with the next request */ } finally {
      state.fetching = false;
      state.renewing = 0;
    }
  }

  /* ---- folds and pins ---- */

  function keepFolds({ target }) {
    if (state.opened) return; // the search box has opened them, not the user
    keep("folds", folds().filter((fold) => fold.open).map((fold) => fold.dataset.fold));
    state.tries = 0;
    (target.open ? fill() : Promise.resolve()).then(ask);
  }

  function offerStar(line) {
    if (!line || line.querySelector(".star")) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "star" });
    button.append(icon("i-star"));
    button.setAttribute("aria-pressed", String("pinned" in line.dataset));
    button.setAttribute("aria-label", `Favourite: ${line.querySelector(".kind").textContent}`);
    button.title = "Favourite";
    line.append(button);
  }

  function offerStars() {
    if (TOUCH.matches) lines().forEach(offerStar);
  }

  function withdrawStars() {
    if (TOUCH.matches) return;
    for (const button of document.querySelectorAll("#kinds .star")) {
      if (!button.parentElement.matches(":hover, :focus-within")) button.remove();
    }
  }

  /* The line of one that is no favourite any more stays at the top until the next page, in case of a slip. */
  function toggleFavourite(button) {
    const line = button.closest(".kind-line");
    const starred = !("pinned" in line.dataset);
    const section = root().querySelector("[data-group=favourites]");
    if (starred && !section.contains(line) && !section.querySelector(`[data-kind="${CSS.escape(line.dataset.kind)}"]`)) {
      const copy = line.cloneNode(true);
      copy.querySelector(".star").remove();
      section.querySelector(".first").append(copy);
      section.hidden = false;
    }
    for (const each of linesOf(line.dataset.kind)) {
      each.toggleAttribute("data-pinned", starred);
      each.querySelector(".star")?.setAttribute("aria-pressed", String(starred));
    }
    offerStars();
    const keys = [...section.querySelectorAll(".kind-line[data-pinned]")].map((each) => each.dataset.kind);
    keep("pins", [...new Set(keys)]);
  }

  function remember(key) {
    if (key) keep("recent", [key, ...kept("recent").filter((each) => each !== key)].slice(0, MOST_RECENT));
  }

  /* ---- the box ---- */

  const EXACT = 0, PREFIX = 1, SUBSTRING = 2, NONE = 3; // as dashboard/objects/kinds/search_rank.py ranks for the palette

  function rank(line, text) {
    const key = line.dataset.kind;
    const title = line.querySelector(".kind").firstChild.textContent.trim().toLowerCase();
    const names = [key, key.split(".")[0], title, ...(line.dataset.short ?? "").split(" ").filter(Boolean)];
    if (names.includes(text)) return EXACT;
    if (names.some((name) => name.startsWith(text))) return PREFIX;
    const project = line.closest("details.rest")?.querySelector(".project")?.textContent.toLowerCase() ?? "";
    return names.some((name) => name.includes(text)) || project.includes(text) ? SUBSTRING : NONE;
  }

  function hideEmpty(text = "") {
    for (const part of root().querySelectorAll(".kinds, .rest, .fold-part")) {
      part.hidden = text ? !part.querySelector(".kind-line:not([hidden])") : !part.querySelector(".kind-line, details.rest, summary");
    }
  }

  function find() {
    const text = document.getElementById("kind-q").value.trim().toLowerCase();
    if (text && !state.opened) state.opened = new Map(folds().map((fold) => [fold.dataset.fold, fold.open]));
    let matchCount = 0, best = null, bestRank = NONE;
    for (const line of lines()) {
      const place = text && !line.closest(".shortcuts") ? rank(line, text) : NONE; // each kind once, in its group
      line.hidden = Boolean(text) && place === NONE;
      matchCount += !line.hidden;
      line.classList.remove("best");
      if (place < bestRank) [best, bestRank] = [line, place];
    }
    best?.classList.add("best");
    for (const fold of folds()) fold.open = text ? true : state.opened?.get(fold.dataset.fold) ?? fold.open;
    root().toggleAttribute("data-finding", Boolean(text));
    hideEmpty(text);
    best?.scrollIntoView({ block: "nearest" });
    root().querySelector(".none-found").hidden = !text || matchCount > 0;
    const said = best ? `${matchCount} found. Enter opens ${best.querySelector(".kind").textContent}.` : "No kind matches.";
    put(document.getElementById("kinds-found"), text ? said : "");
    if (!text) setTimeout(() => { state.opened = null; }); // toggle events come after this
  }

  async function findInAll() {
    find();
    if (!lacking().length) return;
    await fill();
    find();
  }

  function onKey(event) {
    if (event.target.id !== "kind-q" || event.isComposing) return;
    if (event.key === "Enter") fill().then(() => root().querySelector(".kind-line.best a")?.click());
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
    if (!link || link.parentElement.matches("[data-cluster-wide]") || /^\/(controllers|kinds)\//.test(link.pathname)) return;
    link.search = chosen() ? `?namespace=${chosen()}` : "";
  }

  /* ---- events ---- */

  function settle() {
    for (const fold of folds()) fold.addEventListener("toggle", keepFolds);
    offerStars();
  }

  document.addEventListener("deltaboard:beat", ({ detail: beat }) => showFollowed(beat));
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("click", keepNamespaces, { capture: true });
  document.addEventListener("input", ({ target }) => target.id === "kind-q" && findInAll());
  document.addEventListener("focusin", ({ target }) => target.id === "kind-q" && fill());
  document.addEventListener("keydown", onKey, { capture: true });
  document.addEventListener("click", ({ target }) => {
    const button = target.closest("#kinds .star");
    if (button) toggleFavourite(button);
  });
  for (const name of ["pointerover", "focusin"]) {
    document.addEventListener(name, ({ target }) => offerStar(target.closest?.("#kinds .kind-line")));
  }
  document.addEventListener("keydown", ({ key, shiftKey }) => { // backwards the star of a line comes before its link
    if (key === "Tab" && shiftKey && root()) lines().filter((line) => line.checkVisibility()).forEach(offerStar);
  });
  for (const name of ["pointerout", "focusout"]) document.addEventListener(name, () => setTimeout(withdrawStars));

  if (root()) {
    settle();
    remember(keyHere());
    ask();
    root().querySelector("a[aria-current]")?.scrollIntoView({ block: "nearest" });
  }
}
