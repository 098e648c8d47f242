/* Announcements for screen readers on a page that changes by itself, in the one polite region #aloud: that the page is
   not up to date, and that it is again, once each; what a filter found; and how many rows or lines changed. They are
   sums, not single rows, and at most one every 20 seconds. */
import { visible } from "./invisible_characters.js";

export function start() {
  const FIRST = 2000; // milliseconds from the first change until it is announced, with those that came meanwhile
  const AGAIN = 20000; // minimum milliseconds between two sums
  const region = document.getElementById("aloud");
  const sum = { changed: new Set(), added: new Set(), left: new Set(), gone: new Set(), timer: 0, saidAt: -Infinity };
  const state = { trouble: "" };
  if (!region) return;

  function say(words) {
    region.textContent = visible(words);
  }

  const many = (count, one, more) => `${count.toLocaleString("en-GB")} ${count === 1 ? one : more}`;

  function sumWords() {
    const lines = document.querySelector("ol[data-hold]");
    if (lines) return sum.added.size ? `${many(sum.added.size, "new line", "new lines")} in the feed` : "";
    const changed = [...sum.changed].filter((id) => !sum.added.has(id) && !sum.gone.has(id)).length;
    const words = [];
    if (changed) words.push(`${many(changed, "row", "rows")} changed`);
    if (sum.added.size) words.push(`${sum.added.size.toLocaleString("en-GB")} new`);
    if (sum.gone.size) words.push(`${sum.gone.size.toLocaleString("en-GB")} deleted`);
    return words.join(", ");
  }

  function forget() {
    clearTimeout(sum.timer);
    sum.timer = 0;
    for (const set of [sum.changed, sum.added, sum.left, sum.gone]) set.clear();
  }

  function saySum() {
    const words = sumWords();
    forget();
    if (!words || document.hidden) return;
    sum.saidAt = performance.now();
    say(words);
  }

  /* A row that is moved is removed and added in one batch. */
  function noteChildren({ target, addedNodes, removedNodes }) {
    if (!target.matches("[data-hold]")) return;
    for (const node of removedNodes) if (!sum.added.delete(node.id || node)) sum.left.add(node.id || node);
    for (const node of addedNodes) (sum.left.delete(node.id || node) ? sum.changed : sum.added).add(node.id || node);
  }

  function note(records) {
    for (const record of records) {
      if (record.type === "childList") noteChildren(record);
      else if (record.attributeName === "data-version") sum.changed.add(record.target.id);
      else if (record.target.hasAttribute("data-gone")) sum.gone.add(record.target.id);
    }
    const paused = document.querySelector("#pause[aria-pressed=true]");
    if (paused || document.hidden) return forget();
    sum.timer ||= setTimeout(saySum, Math.max(FIRST, sum.saidAt + AGAIN - performance.now()));
  }

  const observer = new MutationObserver(note);

  function observe() {
    observer.disconnect();
    forget();
    const holder = document.querySelector("[data-hold]");
    if (!holder) return;
    const rows = { subtree: true, attributeFilter: ["data-version", "data-gone"] };
    observer.observe(holder, { childList: true, ...(holder.matches("tbody") ? rows : {}) });
  }

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id === "socket") return;
    observe();
    if (detail.ctx?.sourceElement?.id === "filter") {
      const title = document.querySelector("#list h1");
      if (title) say(title.textContent.replaceAll(/\s+/g, " ").trim());
    }
  });

  /* The banner counts down by the second; only the problem is announced. */
  document.addEventListener("deltaboard:state", ({ detail }) => {
    const trouble = detail.state === "live" ? "" : detail.words.replace(/\s*Trying again( in \d+ s| now)?\.$/, "");
    if (trouble === state.trouble) return;
    const before = state.trouble;
    state.trouble = trouble;
    if (trouble) say(trouble);
    else if (before && detail.state === "live") say("Live again.");
  });

  observe();
}
