/* Selection of a list: checkboxes, stored by uid for the life of this tab, whatever the list shows meanwhile.

   The checkboxes are set again whenever rows come. The selection is in sessionStorage, one per kind, so that it
   outlives the filter, the order, the page and a reload. Deleted objects leave the selection, and the bar says so:
   those in the list at once, the others after the server has confirmed it twice. The server is asked when something
   seems to have been deleted, and otherwise now and then. `x` selects the row under the cursor (page/shortcuts.js), a
   click with Shift all rows from the last one on. */
import { shownMoment } from "../page/shown_moment.js";

export function start() {
  if (shownMoment()) return; // what is not there any more cannot be changed
  const MOST = 10_000; // as in dashboard/pages/lists/selection_views.py
  const ASK = 5000; // milliseconds between two requests for objects that are not on this page
  const SELDOM = 60_000; // the same if MANY are selected, or nothing seems to have been deleted
  const RAREST = 600_000; // the same if both are true
  const MANY = 300;
  const AGAIN = 3000; // milliseconds until the second request: a server without news for that long says so
  const MARK = "data-ui-selected"; // morphing leaves attributes that begin with data-ui alone
  const bar = () => document.getElementById("selection");
  const path = location.pathname;
  const store = `deltaboard-selected ${path}`;
  const state = { uids: new Set(), gone: 0, anchor: "", shift: false, asking: false, message: "" };
  const check = { at: -Infinity, count: null, due: true, doubts: 0 };

  /* ---- what is selected ---- */

  function read() {
    try {
      state.uids = new Set(JSON.parse(sessionStorage.getItem(store) ?? "[]"));
    } catch {
      state.uids = new Set(); // storage is blocked: the selection lasts as long as the page
    }
  }

  function keep() {
    try {
      if (state.uids.size) sessionStorage.setItem(store, JSON.stringify([...state.uids]));
      else sessionStorage.removeItem(store);
    } catch {
      // it lasts as long as the page
    }
  }

  const boxes = () => [...document.querySelectorAll(".table tbody tr:not([data-gone]) .c-select input")];

  function choose(uids, wanted) {
    const more = wanted ? uids.filter((uid) => !state.uids.has(uid)).length : 0;
    if (more && state.uids.size + more > MOST) {
      say(`${MOST.toLocaleString("en-GB")} can be selected at most, and that would be ${(state.uids.size + more).toLocaleString("en-GB")}: nothing was added.`);
      return;
    }
    state.gone = 0;
    check.due ||= more > 0;
    for (const uid of uids) {
      if (wanted) state.uids.add(uid);
      else state.uids.delete(uid);
    }
    keep();
    show();
  }

  /* Removes deleted objects from the selection. */
  function forget(uids) {
    const before = state.uids.size;
    for (const uid of uids) state.uids.delete(uid);
    if (state.uids.size === before) return;
    state.gone += before - state.uids.size;
    keep();
    show();
  }

  /* ---- display ---- */

  function show() {
    const here = boxes();
    let shownCount = 0;
    for (const box of here) {
      box.checked = state.uids.has(box.value);
      shownCount += box.checked;
      box.closest("tr").toggleAttribute(MARK, box.checked);
    }
    const all = document.querySelector(".table thead .c-select input");
    if (all) {
      all.checked = shownCount > 0 && shownCount === here.length;
      all.indeterminate = shownCount > 0 && shownCount < here.length;
    }
    if (bar()) showBar(shownCount);
  }

  function words(shownCount) {
    const gone = state.gone === 1 ? "1 was deleted" : `${state.gone.toLocaleString("en-GB")} were deleted`;
    const size = state.uids.size;
    if (!size) return state.gone ? `Nothing is selected any more: ${gone}` : "";
    const away = size - shownCount;
    const elsewhere = !away ? "" : away === size ? ", not on this page" : `, ${away.toLocaleString("en-GB")} of them not on this page`;
    return `${size.toLocaleString("en-GB")} selected${elsewhere}${state.gone ? ` · ${gone} and left the selection` : ""}`;
  }

  function showBar(shownCount) {
    const text = state.message || words(shownCount);
    const place = bar().querySelector("[data-words]");
    if (place.textContent !== text) place.textContent = text;
    bar().hidden = !text;
    const total = Number(document.querySelector("#list [data-total]")?.dataset.total ?? 0);
    for (const element of bar().querySelectorAll("[data-for-some]")) element.hidden = !state.uids.size;
    const matching = bar().querySelector("[data-select-matching]");
    matching.hidden = !state.uids.size || total <= shownCount || total === state.uids.size;
    if (!matching.hidden) matching.textContent = `Select all ${total.toLocaleString("en-GB")} that match`;
  }

  /* A sentence in place of the count, for a while. */
  function say(sentence) {
    state.message = sentence;
    show();
    setTimeout(() => {
      if (state.message !== sentence) return;
      state.message = "";
      show();
    }, 6000);
  }

  /* ---- requests to the server ---- */

  const UNHEARD = "The server does not answer just now.";

  /* Throws an error whose message is a sentence for the page. */
  async function answerTo(url, options) {
    const answer = await fetch(url, options).catch(() => null);
    if (answer?.ok) return answer.json();
    throw new Error(answer?.headers.get("Content-Type")?.startsWith("text/plain") ? await answer.text() : UNHEARD);
  }

  function ask(uids, fields = {}) {
    const body = new FormData(bar());
    body.set("uid", [...uids].join());
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return answerTo(bar().action, { method: "POST", body });
  }

  /* Asks once more for objects that are reported as gone: another process of the server may not know them yet. */
  function doubt(uids) {
    if (!uids.length) return;
    check.doubts += 1;
    setTimeout(makeSure, AGAIN, uids);
  }

  async function makeSure(uids) {
    const remaining = uids.filter((uid) => state.uids.has(uid));
    try {
      if (remaining.length) forget((await ask(remaining)).gone);
    } catch {
      check.due = true; // ask for all again
    }
    check.doubts -= 1;
  }

  function isTime() {
    const few = state.uids.size <= MANY;
    const wait = check.due ? (few ? ASK : SELDOM) : (few ? SELDOM : RAREST);
    return performance.now() - check.at > wait - ASK / 2; // the timer that asks is not exact
  }

  async function look() {
    const away = state.uids.size > boxes().filter((box) => box.checked).length;
    if (!away || state.asking || document.hidden || document.body.dataset.live !== "live" || !bar()) return;
    if (check.doubts || !isTime()) return;
    state.asking = true;
    check.at = performance.now();
    check.due = false;
    try {
      doubt((await ask(state.uids)).gone);
    } catch {
      check.due = true; // the banner says that the server is away; ask again later
    }
    state.asking = false;
  }

  async function selectMatching() {
    try {
      choose((await answerTo(`${path}matching/${location.search}`)).uids, true);
    } catch (error) {
      say(error.message);
    }
  }

  async function textOf(name) {
    const answer = await ask(state.uids, { words: "1" });
    doubt(answer.gone);
    return answer[name];
  }

  async function copy(button) {
    const label = button.querySelector("span");
    button.dataset.label ??= label.textContent;
    let text = null;
    try {
      text = await textOf(button.dataset.selectedCopy);
      await window.clipboardOfPage.put(text);
      label.textContent = "Copied";
    } catch (error) {
      label.textContent = text === null ? "Not copied" : "Not allowed";
      if (text === null) say(error.message);
    }
    setTimeout(() => { label.textContent = button.dataset.label; }, 1500);
  }

  /* ---- clicks ---- */

  function range(box) {
    const here = boxes();
    const [from, to] = [here.findIndex((each) => each.value === state.anchor), here.indexOf(box)];
    if (!state.shift || from < 0) return [box.value];
    return here.slice(Math.min(from, to), Math.max(from, to) + 1).map((each) => each.value);
  }

  function onBox(box) {
    if (box.closest("thead")) return choose(boxes().map((each) => each.value), box.checked);
    choose(range(box), box.checked);
    state.anchor = box.value;
  }

  /* A click on a label clicks its box as well, in some browsers without Shift; it must not select text either. */
  document.addEventListener("mousedown", (event) => {
    if (event.shiftKey && event.target.closest(".c-select")) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const { target } = event;
    if (target.closest(".c-select")) {
      if (!target.matches("input")) state.shift = event.shiftKey;
      else {
        state.shift ||= event.shiftKey;
        onBox(target);
        state.shift = false;
      }
      return;
    }
    const button = target.closest("#selection button");
    if (!button) return;
    if (button.matches("[data-select-none]")) {
      state.message = "";
      choose([...state.uids], false);
      document.getElementById("main").focus();
    } else if (button.matches("[data-select-matching]")) selectMatching();
    else if (button.matches("[data-selected-copy]")) copy(button);
  });

  /* The file has the list's columns and order. */
  document.addEventListener("submit", ({ target, submitter }) => {
    if (target.id !== "selection") return;
    target.elements.uid.value = [...state.uids].join();
    submitter.formAction = new URL(submitter.formAction).pathname + location.search;
  });

  /* ---- rows come and go ---- */

  document.addEventListener("deltaboard:frame", ({ detail }) => {
    if (detail.beside) return;
    const gone = document.querySelectorAll(".table tbody tr[data-gone] .c-select input");
    forget([...gone].map((box) => box.value));
    show();
  });

  /* If the kind's number of objects has changed, something may have been deleted. */
  document.addEventListener("deltaboard:beat", ({ detail: { counts } }) => {
    const count = counts?.[document.querySelector(".table")?.dataset.kind] ?? null;
    if (count === check.count) return;
    check.count = count;
    check.due = true;
  });

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id !== "socket") show();
  });

  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) read();
    show();
  });

  setInterval(look, ASK);
  read();
  show();
}
