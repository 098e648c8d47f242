/* Copy buttons: a text (data-copy), an element's text (data-copy-from), what follows the kubectl call of this cluster
   (data-copy-kubectl, a command a line), or the object's status as one line of Markdown (data-copy-status): the object, its state in words,
   when it was created, the cluster, a link and the time in UTC. It has times, no ages: it is read later. On a page that is not live the line gives the time of its last news, on a page of the past its moment.
   Parts that all viewers share say where the call stands (data-kubectl-call). */
import { visible } from "./invisible_characters.js";
import { shownMoment } from "./shown_moment.js";

export function start() {
  const SHOWN = 1500; // milliseconds for which a button shows its result
  const state = { kubectl: document.documentElement.dataset.kubectl || "kubectl", heard: Date.now() };

  const words = (element) => element?.textContent.replace(/\s+/g, " ").trim() ?? "";
  const escaped = (text) => text.replace(/[\\`*_[\]<>|]/g, "\\$&");
  const utc = (moment) => new Date(moment).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");

  /* The words of an element with a moment for each age: "for 17m" is "since 2026-11-21 07:48:11 UTC". */
  function withTimes(element) {
    const copy = element?.cloneNode(true);
    for (const time of copy?.querySelectorAll("time[datetime]") ?? []) {
      time.textContent = (time.dataset.age === "for" ? "since " : "") + utc(time.dateTime);
    }
    return words(copy);
  }

  function writeCalls() {
    for (const call of document.querySelectorAll("[data-kubectl-call]")) {
      if (call.textContent !== state.kubectl) call.textContent = state.kubectl;
    }
  }

  function statusLine(button) {
    const detail = button.closest(".detail");
    const about = withTimes(detail.querySelector(".say"));
    const note = withTimes(detail.querySelector(".note.bad, .note.warn"));
    const created = detail.querySelector("[data-created]")?.dateTime;
    const live = document.body.dataset.live === "live";
    const link = new URL(button.dataset.href, location.href).href;
    const parts = [
      [note, about].filter(Boolean).map(escaped).join(" ") || "state not known",
      created && !about.includes("created") && `created ${utc(created)}`,
      `cluster ${escaped(words(document.querySelector("[data-cluster=name]")))}`,
      shownMoment() ? utc(Date.parse(shownMoment())) : utc(Date.now()) + (live ? "" : `, as last heard at ${utc(state.heard)}`),
    ];
    return `**${escaped(button.dataset.kind)} [${escaped(visible(button.dataset.object).replace(/\s+/g, " "))}](${link})**: ${parts.filter(Boolean).join(" · ")}`;
  }

  function textOf(button) {
    if ("copyStatus" in button.dataset) return statusLine(button);
    if ("copyKubectl" in button.dataset) return button.dataset.copyKubectl.replace(/^/gm, `${state.kubectl} `);
    writeCalls(); // a part that came since the last beat has the plain call
    return button.dataset.copyFrom ? document.querySelector(button.dataset.copyFrom).textContent : button.dataset.copy;
  }

  /* Browsers offer no clipboard to pages that came over plain HTTP: execCommand works there. */
  async function put(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "hidden" });
    const before = document.activeElement;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus?.();
    if (!done) throw new Error("not allowed");
  }

  async function copy(button) {
    const label = button.querySelector("span") ?? button;
    const before = button.dataset.label ??= label.textContent;
    try {
      await put(textOf(button));
      label.textContent = "Copied";
    } catch {
      label.textContent = "Not allowed";
    }
    setTimeout(() => { label.textContent = before; }, SHOWN);
  }

  document.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-copy], [data-copy-from], [data-copy-kubectl], [data-copy-status]");
    if (button) copy(button);
  });

  window.clipboardOfPage = { put }; // for scripts of other bundles, which copy what they have fetched

  document.addEventListener("deltaboard:beat", ({ detail: { cluster } }) => {
    state.heard = Date.now();
    if (cluster) state.kubectl = cluster.kubectl || "kubectl";
    writeCalls();
  });

  writeCalls();
}
