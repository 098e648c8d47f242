/* Tab's icon and title, which show staleness, and the cluster's name, version and colour, which can change while a page is open. */

import { visible } from "./invisible_characters.js";

export function start() {
  const root = document.documentElement;

  /* ---- the tab: its icon and title show staleness ---- */

  const icon = document.getElementById("favicon");
  const drawings = new Map(); // state → the icon's SVG text
  const BRAND = "#4b68e8"; // the colour in static/favicon that gives way to the cluster's

  /* The icon's drawing for a state; empty where there is no connection to get it. */
  async function drawingOf(state) {
    try {
      if (!drawings.has(state)) drawings.set(state, await (await fetch(icon.dataset[state])).text());
    } catch {
      return "";
    }
    return drawings.get(state);
  }

  async function paintIcon(state) {
    const swatch = document.querySelector(".swatch");
    if (!icon?.dataset[state] || !swatch) return;
    const drawing = await drawingOf(state);
    if (!drawing || document.body.dataset.live !== state) return;
    const coloured = drawing.replace(BRAND, getComputedStyle(swatch).backgroundColor);
    icon.href = `data:image/svg+xml,${encodeURIComponent(coloured)}`;
    if (state === "live") ["stale", "offline"].forEach(drawingOf); // offline they cannot be fetched
  }

  const plainTitle = () => document.title.replace(/^\((?:stale|offline|past)\) /, "");

  /* ---- the cluster: its name, version and colour can change while the page is open ---- */

  const drawn = { name: document.querySelector("[data-cluster=name]")?.textContent ?? "" };

  function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
    if (element.matches(".mode")) element.toggleAttribute("hidden", !text);
    const parts = element.matches("dd") ? [element.previousElementSibling, element] : [element.closest(".total")];
    for (const part of parts) part?.toggleAttribute("hidden", !text);
  }

  function showCluster(cluster) {
    for (const element of document.querySelectorAll("[data-cluster]")) {
      write(element, visible(cluster[element.dataset.cluster] ?? ""));
    }
    const name = visible(cluster.name);
    const end = ` · ${drawn.name} · Deltaboard`;
    if (name !== drawn.name && document.title.endsWith(end)) {
      document.title = `${document.title.slice(0, -end.length)} · ${name} · Deltaboard`;
    }
    drawn.name = name;
    const colour = cluster.colour || "blue";
    if (root.dataset.colour === colour) return;
    root.dataset.colour = colour;
    paintIcon(document.body.dataset.live);
  }

  document.addEventListener("deltaboard:beat", ({ detail: { cluster } }) => cluster && showCluster(cluster));

  document.addEventListener("deltaboard:state", ({ detail }) => {
    const state = detail.state;
    const word = document.querySelector("[data-live-word]");
    if (word) word.textContent = state;
    paintIcon(state);
    const troubled = state === "stale" || state === "past" || (state === "offline" && detail.words);
    document.title = troubled ? `(${state}) ${plainTitle()}` : plainTitle();
  });
}
