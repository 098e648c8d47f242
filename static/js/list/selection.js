/* The selection of a list: checkboxes, kept by uid for as long as this tab lives, whatever the list shows meanwhile.

   A row's state is its checkbox; here it is written again whenever rows came. What is selected stands in sessionStorage,
   a kind apart, so that it outlives the filter, the order, the page and a reload. Objects that were deleted leave the
   selection, and the bar says so: those in the list at once, the others when the server has said so twice. It is asked
   when something seems to have been deleted, else now and then.
   `x` selects the row under the cursor (keys.js), Shift with a click all rows from the last one on. */
(() => {
  "use strict";

  const MOST = 10_000; // as in dashboard/resources/selected.py
  const ASK = 5000; // milliseconds between two questions whether what is not on this page is still there
  const SELDOM = 60_000; // the same where MANY are selected, or where nothing seems to have been deleted
  const RAREST = 600_000; // the same where both is so
  const MANY = 300;
  const AGAIN = 3000; // until the second question: a server that has heard nothing for so long says that
  const MARK = "data-ui-selected"; // morphing leaves attributes that begin with data-ui alone
  const bar = () => document.getElementById("selection");
  const path = location.pathname;
  const store = `deltaboard-selected ${path}`;
  const state = { uids: new Set(), gone: 0, anchor: "", shift: false, asking: false, said: "" };
  const asked = { at: -Infinity, count: null, due: true, doubts: 0 };

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
    asked.due ||= more > 0;
    for (const uid of uids) {
      if (wanted) state.uids.add(uid);
      else state.uids.delete(uid);
    }
    keep();
    show();
  }

  /* They are deleted. */
  function forget(uids) {
    const before = state.uids.size;
    for (const uid of uids) state.uids.delete(uid);
    if (state.uids.size === before) return;
    state.gone += before - state.uids.size;
    keep();
    show();
  }

  /* ---- what the page says of it ---- */

  function show() {
    const here = boxes();
    let shown = 0;
    for (const box of here) {
      box.checked = state.uids.has(box.value);
      shown += box.checked;
      box.closest("tr").toggleAttribute(MARK, box.checked);
    }
    const all = document.querySelector(".table thead .c-select input");
    if (all) {
      all.checked = shown > 0 && shown === here.length;
      all.indeterminate = shown > 0 && shown < here.length;
    }
    if (bar()) showBar(shown);
  }

  function words(shown) {
    const gone = state.gone === 1 ? "1 was deleted" : `${state.gone.toLocaleString("en-GB")} were deleted`;
    const size = state.uids.size;
    if (!size) return state.gone ? `Nothing is selected any more: ${gone}` : "";
    const away = size - shown;
    const elsewhere = !away ? "" : away === size ? ", not on this page" : `, ${away.toLocaleString("en-GB")} of them not on this page`;
    return `${size.toLocaleString("en-GB")} selected${elsewhere}${state.gone ? ` · ${gone} and left the selection` : ""}`;
  }

  function showBar(shown) {
    const text = state.said || words(shown);
    const place = bar().querySelector("[data-words]");
    if (place.textContent !== text) place.textContent = text;
    bar().hidden = !text;
    const total = Number(document.querySelector("#list [data-total]")?.dataset.total ?? 0);
    for (const element of bar().querySelectorAll("[data-for-some]")) element.hidden = !state.uids.size;
    const matching = bar().querySelector("[data-select-matching]");
    matching.hidden = !state.uids.size || total <= shown || total === state.uids.size;
    if (!matching.hidden) matching.textContent = `Select all ${total.toLocaleString("en-GB")} that match`;
  }

  /* A sentence in place of the count, for a while. */
  function say(sentence) {
    state.said = sentence;
    show();
    setTimeout(() => {
      if (state.said !== sentence) return;
      state.said = "";
      show();
    }, 6000);
  }

  /* ---- questions to the server ---- */

  const UNHEARD = "The server cannot be asked just now.";

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

  /* What is said to be gone is asked for once more, alone: another process of the server may not know of it yet. */
  function doubt(uids) {
    if (!uids.length) return;
    asked.doubts += 1;
    setTimeout(makeSure, AGAIN, uids);
  }

  async function makeSure(uids) {
    const still = uids.filter((uid) => state.uids.has(uid));
    try {
      if (still.length) forget((await ask(still)).gone);
    } catch {
      asked.due = true; // all are asked for again
    }
    asked.doubts -= 1;
  }

  function isTime() {
    const few = state.uids.size <= MANY;
    const wait = asked.due ? (few ? ASK : SELDOM) : (few ? SELDOM : RAREST);
    return performance.now() - asked.at > wait - ASK / 2; // the timer that asks is not exact
  }

  async function look() {
    const away = state.uids.size > boxes().filter((box) => box.checked).length;
    if (!away || state.asking || document.hidden || document.body.dataset.live !== "live" || !bar()) return;
    if (asked.doubts || !isTime()) return;
    state.asking = true;
    asked.at = performance.now();
    asked.due = false;
    try {
      doubt((await ask(state.uids)).gone);
    } catch {
      asked.due = true; // the page says elsewhere that the server is away; it is asked again
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

  /* A command has a line a namespace, and each begins as kubectl has to be called for this cluster. */
  async function textOf(name) {
    const answer = await ask(state.uids, { words: "1" });
    doubt(answer.gone);
    const text = answer[name];
    return name === "command" ? text.split("\n").map(window.clipboardOfPage.command).join("\n") : text;
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

  /* A click on a label clicks its box anew, and that one does not know of Shift everywhere; nor is text to be marked. */
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
      state.said = "";
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

  /* The kind has another number of objects than a second ago: something may have been deleted. */
  document.addEventListener("deltaboard:beat", ({ detail: { counts } }) => {
    const count = counts?.[document.querySelector(".table")?.dataset.kind] ?? null;
    if (count === asked.count) return;
    asked.count = count;
    asked.due = true;
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
})();
