/* Feed: bursts that can be opened, a summary of what came during a pause, and a button that copies a line.

   Scrolling down holds the rows, as the pointer does, and #jump leads back to new lines. After a pause #meanwhile says
   what came. Without this script bursts are links, and everything else works. */

import { icon } from "../page/trusted_html.js";

export function start() {
  const NOTED = 30000; // milliseconds for which lines that came during a pause stay marked
  const AWAY = 160; // pixels scrolled down from which on the rows are held

  /* ---- bursts ---- */

  const filled = new WeakMap(); // details → how many entries the burst had when it was asked for

  const size = (details) => details.closest("li").dataset.fold;

  async function fill(details) {
    const within = details.querySelector(".within");
    filled.set(details, size(details));
    try {
      const answer = await fetch(details.dataset.inside, { headers: { "HX-Request": "true", "HX-Target": "div#within" } });
      if (!answer.ok) return;
      await htmx.swap({ text: await answer.text(), target: within, swap: "innerHTML", sourceElement: document.body });
    } catch (error) {
      console.warn(`what is in a burst could not be fetched: ${error.message}`);
    }
  }

  document.addEventListener("toggle", ({ target }) => {
    if (target.matches?.(".burst") && target.open && filled.get(target) !== size(target)) fill(target);
  }, true);

  /* An open burst that has grown is filled again. */
  document.addEventListener("deltaboard:frame", () => {
    for (const details of list()?.querySelectorAll(".burst[open]") ?? []) {
      if (filled.get(details) !== size(details)) fill(details);
    }
  });

  /* ---- what came while it was held ---- */

  const pauseState = { paused: false, since: 0, newest: "", counts: {}, mark: false, timer: 0 };
  const list = () => document.querySelector("ol.feed[data-hold]");

  document.addEventListener("deltaboard:waiting", ({ detail }) => {
    for (const [op, count] of Object.entries(detail.counts ?? {})) pauseState.counts[op] = (pauseState.counts[op] ?? 0) + count;
  });

  document.addEventListener("deltaboard:held", ({ detail }) => {
    const jump = document.getElementById("jump");
    if (jump) {
      jump.hidden = !away.is || !detail.waiting;
      if (!jump.hidden) jump.textContent = `↑ ${detail.waiting.toLocaleString("en-GB")} new`;
    }
    if (detail.paused === pauseState.paused) return;
    pauseState.paused = detail.paused;
    if (detail.paused) {
      Object.assign(pauseState, { since: Date.now(), newest: list()?.firstElementChild?.id ?? "", counts: {} });
      forget();
    } else summarise();
  });

  function forget() {
    clearTimeout(pauseState.timer);
    const note = document.getElementById("meanwhile");
    if (note) note.hidden = true;
    for (const line of document.querySelectorAll("[data-ui-new]")) line.removeAttribute("data-ui-new");
  }

  function summarise() {
    const note = document.getElementById("meanwhile");
    const named = Object.entries(pauseState.counts).filter(([, count]) => count);
    const sum = named.reduce((total, [, count]) => total + count, 0);
    if (!note || !sum) return;
    const seconds = Math.max(1, Math.round((Date.now() - pauseState.since) / 1000));
    const words = named.map(([op, count]) => `${count.toLocaleString("en-GB")} ${op}`).join(", ");
    note.textContent = `While paused, in ${seconds} s: ${sum.toLocaleString("en-GB")} change${sum === 1 ? "" : "s"}: ${words}.`;
    note.hidden = false;
    pauseState.mark = true;
    pauseState.timer = setTimeout(forget, NOTED);
  }

  document.addEventListener("deltaboard:frame", ({ detail }) => {
    if (!detail.whole || !pauseState.mark || detail.beside) return;
    pauseState.mark = false;
    for (const line of list()?.children ?? []) {
      if (line.id > pauseState.newest) line.setAttribute("data-ui-new", "");
    }
  });

  /* ---- reading further down ---- */

  const away = { is: false };

  document.addEventListener("scroll", () => {
    const top = list()?.getBoundingClientRect().top ?? 0;
    const is = Boolean(list()) && top < -AWAY;
    if (is === away.is) return;
    away.is = is;
    document.dispatchEvent(new CustomEvent("deltaboard:away", { detail: { away: is } }));
  }, { passive: true, capture: true });

  document.addEventListener("click", ({ target }) => {
    if (!target.closest("#jump")) return;
    scrollTo({ top: 0, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    document.getElementById("main").scrollTo?.({ top: 0 });
  });

  /* ---- a line to copy ---- */

  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "icon-button copy-line";
  copy.append(icon("i-copy"), Object.assign(document.createElement("span"), { className: "hidden", textContent: "Copy as Markdown" }));
  copy.title = "Copy as Markdown";

  const textOf = (element) => element?.textContent.trim().replace(/\s+/g, " ") ?? "";

  function markdown(line) {
    const name = line.querySelector(".feed-name");
    const moment = line.querySelector("time").getAttribute("datetime").replace("T", " ").replace("Z", " UTC");
    const object = name.href ? `[${textOf(name)}](${name.href})` : `\`${textOf(name)}\``;
    const words = textOf(line.querySelector(".burst > summary") ?? line.querySelector(".words"));
    const op = line.matches(".fold") ? "" : ` ${textOf(line.querySelector(".op"))}`;
    return `- ${moment} · ${textOf(line.querySelector(".feed-kind"))} ${object}${op}${words ? `: ${words}` : ""}`;
  }

  function offer({ target }) {
    const line = target.closest?.("ol.feed[data-hold] > li");
    if (!line || line.contains(copy) || !line.querySelector(".feed-name")) return;
    copy.dataset.copy = markdown(line);
    const name = line.querySelector(".feed-name");
    name.after(copy);
  }

  document.addEventListener("pointerover", offer);
  document.addEventListener("focusin", offer);
}
