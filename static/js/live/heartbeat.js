/* Handler of the heartbeat, once a second: how fresh the server is, and the counts beside each kind. */

import { beaten, link } from "./connection.js";
import { setText, shown, tell } from "./shown_views.js";
import { judge } from "./live_state.js";

/* A whole number formatted as in en-GB. The browser's own formatting takes longer for its first number than all the
   rest of a heartbeat. */
const written = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

function showCounts(beat) {
  for (const element of document.querySelectorAll("[data-count]")) {
    const count = beat.counts[element.dataset.count];
    if (count !== undefined) setText(element, count === null ? "–" : written(count));
  }
  for (const element of document.querySelectorAll("[data-wrong]")) {
    const count = beat.wrong[element.dataset.wrong];
    if (count !== undefined) setText(element, count ? written(count) : "");
  }
}

/* Time at which the API server was last heard for the kinds of this page: the oldest of them. */
function clusterHeard(beat) {
  const moments = shown.keys.map((key) => beat.heard_by[key]).filter((moment) => moment !== null && moment !== undefined);
  return moments.length ? Math.min(...moments) : beat.heard;
}

export function onBeat(beat) {
  beaten(beat);
  beat.late = link.late / 1000;
  beat.offset = beat.now + beat.late - Date.now() / 1000;
  beat.heard = clusterHeard(beat);
  showCounts(beat);
  tell("beat", beat);
  judge();
}
