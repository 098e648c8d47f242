/* Logs, on their page or on the tab of a list's drawer: takes over the lines that it was rendered with, adds what frames
   bring (deltaboard:log), loads what was skipped and what is older, and keeps how it is read (wrap, times, columns) in
   the page's address. On a tab, which has an address of another kind, data-page says it.

   Without this script the page shows its newest lines, and everything else is links and forms. */

import { startCopying } from "./copy.js";
import { Entries } from "./entries.js";
import { LogList } from "./log_list.js";
import { element } from "./row.js";

const OPTIONS = ["wrap", "times", "columns"];
const PATIENCE = 60000; // milliseconds that a request for older lines may take
const AROUND = 30; // seconds before and after a line that its link shows

export function start() {
  const page = { section: null, list: null, entries: new Entries(), waiting: 0, lines: "", older: null, linked: "", jumped: false };
  const address = () => new URL(page.section?.dataset.page ?? location.href, location.href);
  const params = () => address().searchParams;
  const phone = matchMedia("(max-width: 719px)"); // lines wrap, unless the address says otherwise

  /* ---- how it is read ---- */

  function optionsNow() {
    const given = params();
    const columns = (given.get("columns") ?? "").split(",").map((name) => name.trim()).filter(Boolean);
    const wrap = given.get("wrap") === "1" || (phone.matches && given.get("wrap") !== "0");
    return { wrap, zone: given.get("times") ?? "local", columns };
  }

  function setOption(name, value) {
    const address = new URL(location.href);
    if (value) address.searchParams.set(name, value);
    else address.searchParams.delete(name);
    history.replaceState(history.state, "", address.href.replaceAll("%2C", ","));
    applyOptions();
  }

  function applyOptions() {
    Object.assign(page.list.options, optionsNow());
    showLooks();
    page.list.relayout();
  }

  function showLooks() {
    const { wrap, zone } = page.list.options;
    page.section.toggleAttribute("data-wrap", wrap);
    page.section.toggleAttribute("data-ui-utc", zone === "utc");
    document.dispatchEvent(new CustomEvent("deltaboard:times"));
  }

  function showOptions() {
    const now = optionsNow();
    const shown = { wrap: now.wrap, times: now.zone, columns: now.columns.join(", ") };
    for (const field of page.section.querySelectorAll("[data-log-option]")) {
      const value = shown[field.dataset.logOption];
      if (field.type === "checkbox") field.checked = value;
      else field.value = value;
    }
    page.section.querySelector("[data-log-tools]")?.removeAttribute("hidden");
  }

  document.addEventListener("change", ({ target }) => {
    const name = target.dataset?.logOption;
    if (!name || !page.section?.contains(target)) return;
    const value = target.type !== "checkbox" ? target.value.trim() : target.checked ? "1" : phone.matches ? "0" : "";
    setOption(name, name === "times" && value === "local" ? "" : value);
  });

  /* Links and forms of the page keep how it is read. */
  function withOptions(href) {
    const address = new URL(href, location.href);
    for (const name of OPTIONS) {
      const value = params().get(name);
      if (value) address.searchParams.set(name, value);
    }
    return address.href;
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".log-sources a[href], .log-histogram a[href], .log-spans a[href], .log-empty a[href], .log-tools a[href]");
    if (link && page.section?.contains(link)) link.href = withOptions(link.href);
  }, { capture: true });

  document.addEventListener("htmx:config:request", ({ target, detail }) => {
    if (target.id !== "log-filter") return;
    for (const name of OPTIONS) {
      const value = params().get(name);
      if (value) detail.ctx.request.body.set(name, value);
    }
  });

  /* ---- lines ---- */

  /* A row that the server rendered, as an entry. */
  function readRow(row) {
    const { n, time, source, severity, mark, cut } = row.dataset;
    const common = [Number(n), time, Number(source)];
    if (mark) return [...common, "!", mark, row.textContent];
    const parts = [...row.querySelector(".log-text").childNodes].map((node) => [node.className ?? "", node.textContent]);
    const content = parts.length === 1 && !parts[0][0] ? parts[0][1] : parts.length ? parts : "";
    return [...common, Number(severity), content, Number(cut ?? 0)];
  }

  const namesOf = (rows) => {
    const names = [];
    for (const row of rows) {
      const { source, namespace, pod, container } = row.dataset;
      if (Number(source) < 0) continue;
      const label = row.querySelector(".log-source"); // of a line, where there are several
      names[Number(source)] ??= [namespace, pod, container, label?.textContent ?? container, colourOf(label)];
    }
    return names;
  };

  const colourOf = (label) => Number(/\bc(\d)\b/.exec(label?.className ?? "")?.[1] ?? 0);

  function setNames(names) {
    const options = page.list.options;
    if (!names) return false; // as before
    if (JSON.stringify(names) === JSON.stringify(options.names)) return false;
    options.names = names;
    return true;
  }

  function linkOf(entry) {
    const link = address();
    for (const name of ["since", "q", "find"]) if (name !== "q" || link.pathname !== "/logs/") link.searchParams.delete(name);
    const moment = Date.parse(entry.time);
    const second = (milliseconds) => new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z");
    link.searchParams.set("from", second(moment - AROUND * 1000));
    link.searchParams.set("to", second(moment + AROUND * 1000));
    link.hash = `l-${entry.time}`;
    return link.href.replaceAll("%3A", ":");
  }

  function adopt() {
    const section = document.getElementById("logs");
    if (section === page.section) return;
    Object.assign(page, { section, entries: new Entries(), list: null, waiting: 0, lines: section?.dataset.lines, older: null, linked: linkedTime(), jumped: false });
    if (!section) return; // the tab was closed
    const box = section.querySelector("#log");
    const rows = [...box.children].filter((row) => row.dataset.mark !== "older"); // the entries know where it belongs
    const names = namesOf(rows);
    page.entries.add({
      whole: true, entries: rows.map(readRow), next: Number(section.dataset.next), first: Number(section.dataset.first),
      history: section.dataset.history, since: section.dataset.since,
    });
    page.list = new LogList(box, page.entries, { ...optionsNow(), names: [], link: linkOf });
    page.list.onFollow = showFollowing;
    setNames(names);
    showLooks();
    if (params().get("follow") === "0") page.list.following = false;
    showOptions();
    showHead();
    page.list.update();
    showFollowing();
    toLinkedLine();
  }

  const linkedTime = () => (/^#l-(.+)/.exec(decodeURIComponent(location.hash)) ?? ["", ""])[1];

  /* Shows the line that the address names, once it has come; loads those around it where it does not come. */
  function toLinkedLine() {
    const { linked, entries, list } = page;
    if (!linked || entries.history === "reading" || !list.options.names.length) return;
    page.linked = "";
    const entry = entries.all.find((each) => each.time === linked && !each.mark);
    if (entry) list.reveal(entry);
    else jumpTo(linked);
  }

  async function jumpTo(time) {
    const { list } = page;
    list.follow(false);
    try {
      const answer = await (await request({ around: time })).json();
      if (list !== page.list) return;
      page.jumped = true;
      list.reveal(page.entries.jump(time, ofPage(answer), answer));
      page.older = answer.problem ? { problem: answer.problem } : null;
    } catch (error) {
      if (list === page.list) page.older = { problem: error.message };
    }
    showHead();
  }

  /* The numbers that containers have on this page; undefined where it does not have one. */
  function numbersOf(containers) {
    const known = new Map(page.list.options.names.map((each, place) => [each.slice(0, 3).join("/"), place]));
    return containers.map((each) => known.get(each.slice(0, 3).join("/")));
  }

  function ofPage({ entries, sources }) {
    const numbers = numbersOf(sources);
    for (const entry of entries) entry[2] = numbers[entry[2]] ?? -1;
    return entries;
  }

  document.addEventListener("deltaboard:log", ({ detail }) => {
    if (detail.view !== page.section?.dataset.view) return;
    const { names } = page.list.options;
    const renamed = setNames(detail.sources);
    if (renamed && detail.whole) page.entries.renumber(numbersOf(names));
    const anchor = page.list.anchor();
    const fresh = page.entries.add(detail);
    if (!page.list.following && !detail.whole) page.waiting += fresh;
    if (detail.whole) {
      if (!page.older?.loading) page.older = null; // what is being read comes all the same
      if (page.list.marked) page.list.marked = page.entries.same(page.list.marked);
      if (anchor) anchor.entry = page.entries.same(anchor.entry) ?? anchor.entry;
    }
    if (detail.whole && page.jumped) Object.assign(page, { jumped: false, linked: linkedTime() }); // its lines are gone
    page.entries.trim(page.list.place);
    if (renamed || detail.whole) page.list.redraw();
    else if (fresh) page.list.update(anchor);
    toLinkedLine();
    showHead();
    showFollowing();
  });

  /* ---- following ---- */

  const isLive = () => "liveLines" in page.section.dataset;

  function showFollowing() {
    const jump = page.section.querySelector("[data-log-jump]");
    if (page.list.following) page.waiting = 0;
    jump.hidden = page.list.following;
    jump.textContent = page.waiting ? `↓ ${page.waiting.toLocaleString("en-GB")} new` : "↓ Newest";
    const words = !isLive() ? "Not followed: these lines have ended" : page.list.following ? "Following" : "Not following: scroll to the end, or press End";
    const place = page.section.querySelector("[data-log-following]");
    if (place.textContent !== words) place.textContent = words;
    page.section.toggleAttribute("data-following", page.list.following && isLive());
  }

  document.addEventListener("click", ({ target }) => {
    if (target.closest?.("[data-log-jump]")) page.list.follow(true);
    else if (target.closest?.("[data-log-load]")) loadGap(target.closest("[data-log-load]"));
    else if (target.closest?.("[data-log-older]")) loadOlder(target.closest(".log-mark [data-log-older]"));
    else if (target.closest?.("[data-log-later]")) loadLater(target.closest("[data-log-later]"));
    else if (target.closest?.("[data-log-whole]")) showWhole(target.closest("[data-log-whole]"));
    else toggle(target);
  });

  /* A click on a line of JSON opens it; a selection is not a click. */
  function toggle(target) {
    const row = target.closest?.(".log-line[data-json]");
    if (!row || target.closest("a, button, dl") || !getSelection().isCollapsed) return;
    const entry = [...page.list.drawn].find(([, each]) => each === row)?.[0];
    if (entry) openFields(entry);
  }

  function openFields(entry) {
    const { list } = page;
    entry.open = !entry.open;
    entry.height = undefined;
    list.drawn.get(entry)?.remove();
    list.drawn.delete(entry);
    list.follow(false);
    list.update();
  }

  const KEYS = {
    End: () => page.list.follow(true),
    ArrowUp: () => page.list.step(-1),
    ArrowDown: () => page.list.step(1),
    Enter: () => {
      if (!markedRow()?.matches("[data-json]")) return;
      openFields(page.list.marked);
      page.list.step(0);
    },
    "Shift Enter": () => markedRow()?.querySelector(".log-link")?.click(),
  };
  const markedRow = () => page.list.drawn.get(page.list.marked);

  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "log" || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.shiftKey ? `Shift ${event.key}` : event.key;
    if (!Object.hasOwn(KEYS, key)) return;
    event.preventDefault();
    KEYS[key]();
  });

  /* ---- loading ---- */

  async function request(query) {
    const address = new URL(page.lines, location.href);
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
    const answer = await fetch(address, { signal: AbortSignal.timeout(PATIENCE) });
    if (!answer.ok) throw new Error((await answer.text()).trim() || answer.statusText);
    return answer;
  }

  async function loadGap(button) {
    const row = button.closest(".log-mark");
    const entry = [...page.list.drawn].find(([, each]) => each === row)?.[0];
    if (!entry?.gap) return;
    button.disabled = true;
    const [first, end] = entry.gap;
    const { list } = page;
    list.follow(false);
    try {
      const { entries, sources } = await (await request({ first, end })).json();
      if (list !== page.list) return;
      setNames(sources);
      if (entries.length) page.entries.fill(entry, entries);
      else entry.lost = true;
      page.entries.trim(list.place);
    } catch (error) {
      button.disabled = false;
      button.textContent = `load (failed: ${error.message})`;
      return;
    }
    list.drawn.get(entry)?.remove();
    list.drawn.delete(entry);
    list.update();
  }

  async function loadLater(button) {
    const row = button.closest(".log-mark");
    const mark = [...page.list.drawn].find(([, each]) => each === row)?.[0];
    if (!mark) return;
    const { list, entries } = page;
    let anchor;
    button.disabled = true;
    button.textContent = "loading";
    list.follow(false);
    try {
      const answer = await (await request({ after: mark.from, until: mark.until })).json();
      if (list !== page.list) return;
      if (answer.problem) throw new Error(answer.problem);
      if (!entries.all.includes(mark)) return;
      anchor = list.anchor();
      entries.loadLater(mark, ofPage(answer), answer);
      entries.trim(list.place);
    } catch (error) {
      button.disabled = false;
      button.textContent = `load (failed: ${error.message})`;
      return;
    }
    list.update(anchor);
  }

  /* `button` is that of the mark between lines, where it was pressed. */
  async function loadOlder(button) {
    if (page.older?.loading) return;
    page.older = { loading: true };
    if (button) button.textContent = "loading";
    showHead();
    const { list } = page;
    let anchor;
    try {
      const before = page.entries.oldest || new Date(Date.now() + 60000).toISOString().replace(/\.\d+Z$/, ".000000000Z");
      const answer = await (await request({ before })).json();
      const { bytes, problem, is_beginning: begins } = answer;
      if (list !== page.list) return;
      page.list.follow(false);
      const { all, seam } = page.entries;
      const below = button ? all[all.indexOf(seam) + 1] : null; // keeps its place
      if (below) anchor = list.anchorAt(below);
      page.entries.load(ofPage(answer), { begins, problem });
      page.entries.trim(list.place);
      page.older = { begins, bytes, problem };
    } catch (error) {
      if (list !== page.list) return;
      page.older = { problem: error.message };
      if (button) button.textContent = `load (failed: ${error.message})`;
    }
    showHead();
    list.update(anchor);
  }

  function beginning() {
    if ("filtered" in page.section.dataset) return "All was read: no earlier line matches.";
    if (params().has("since") || params().has("from")) return "The chosen span begins here.";
    return "The log begins here. What was before was rotated away, or there was nothing.";
  }

  function showHead() {
    const { head } = page.list;
    const { older, entries } = page;
    const begins = older?.begins || entries.isWhole;
    if (!page.list.options.names.length || entries.history === "reading" || (begins && !entries.all.length)) {
      head.replaceChildren(); // there is no pod yet, or no line: the page says it
      head.dataset.state = "";
      return;
    }
    const words = older?.loading ? "Reading what the kubelet has" : begins ? beginning() : "Load earlier lines";
    const state = `${words}|${older?.problem ?? ""}`;
    if (head.dataset.state === state) return;
    head.dataset.state = state;
    head.replaceChildren();
    if (begins) {
      const row = element("div", "log-mark m-begin", words);
      row.dataset.mark = "begin";
      head.append(row);
      return;
    }
    const button = element("button", "button log-older", words);
    Object.assign(button, { type: "button", disabled: Boolean(older?.loading) });
    button.dataset.logOlder = "";
    head.append(button);
    if (older?.problem) head.append(element("span", "warn", older.problem));
  }

  /* The whole text of a line: the server may keep it, and the kubelet may. */
  async function wholeText(entry, { namespace, pod, container }) {
    const read = () => request({ time: entry.time, cut: entry.cut, pod: `${namespace}/${pod}`, container });
    const answer = await (entry.n === null ? read() : request({ line: entry.n, time: entry.time }).catch(read));
    return answer.text();
  }

  async function showWhole(button) {
    const row = button.closest(".log-line");
    const entry = [...page.list.drawn].find(([, each]) => each === row)?.[0];
    if (!entry) return;
    const { list } = page;
    try {
      const text = await wholeText(entry, row.dataset);
      if (list !== page.list) return;
      Object.assign(entry, { content: text, cut: 0, fields: undefined, height: undefined });
      if (!page.list.options.wrap) setOption("wrap", "1");
      else page.list.relayout();
    } catch (error) {
      button.textContent = error.message;
    }
  }

  /* ---- another page, or another part of it ---- */

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id === "socket") return;
    const typed = detail.ctx?.sourceElement?.id === "log-filter";
    adopt();
    if (typed) document.getElementById("q")?.focus();
  });

  document.addEventListener("deltaboard:follow", adopt);

  startCopying(() => page.list);
  adopt();
}
