/* State of the page, in body[data-live] and the banner: offline while there is no socket, stale while the page may not
   show what the cluster has, live only if the server was heard within SILENCE and its data is not older than that. A page
   of the past is always past; the banner says what is missing there. */

import { visible } from "../page/invisible_characters.js";
import { shownMoment } from "../page/shown_moment.js";
import { now } from "./steady_clock.js";
import { lateness, link } from "./connection.js";
import { isWhole, setText, shown, tell } from "./shown_views.js";
import {
  BUSY, CATCHING_UP, FINAL, INCOMPLETE, noConnection, notHeard, problemsOf, SIGNED_OUT, STRANGE, tooSlow, wordsOf,
} from "./status_text.js";

export const SILENCE = 3000; // milliseconds without a word until the page counts as stale
const BLINK = 300; // milliseconds that a window may take before the page says so

export const last = { state: "", words: "" };

function show(state, words) {
  if (state === last.state && words === last.words) return;
  Object.assign(last, { state, words });
  const drawn = shownMoment() ? "past" : state;
  document.body.dataset.live = drawn;
  showWords();
  tell("state", { state: drawn, words });
}

/* Writes the banner, also after a swap, which may have brought another one. */
export function showWords() {
  const banner = document.getElementById("banner");
  if (!banner) return;
  setText(banner.querySelector("[data-words]") ?? banner, visible(last.words));
  banner.hidden = !last.words;
  const signedOut = link.closed === SIGNED_OUT;
  document.body.toggleAttribute("data-signed-out", signedOut); // base.css hides what the page shows
  const way = banner.querySelector("[data-sign-in]");
  if (!way) return;
  way.hidden = !signedOut;
  way.href = `/sign-in/?next=${encodeURIComponent(location.pathname + location.search)}`;
}

/* Decides between live and stale for a page whose socket is open and was heard. */
export function judge() {
  const { beat } = link;
  const moment = now();
  if (!link.open || !beat || moment - link.heard > SILENCE) return;
  if (link.strange) return show("stale", STRANGE);
  if (beat.deaf) return show("stale", beat.problem);
  if (lateness(moment) > SILENCE) return show("stale", tooSlow(lateness(moment)));
  if (!isWhole()) return show("stale", INCOMPLETE);
  const waits = link.awaited && moment - link.awaited > BLINK;
  if (link.doubtful) return show("stale", waits ? CATCHING_UP : "");
  if (waits) return show("stale", INCOMPLETE);
  const problems = problemsOf(beat, shown.keys);
  const serverNow = beat.now + (moment - link.beatAt + link.late) / 1000;
  const words = problems.length ? wordsOf(beat, problems, shown.keys.length, serverNow) : "";
  show(problems.length ? "stale" : "live", `${words} ${beat.note ?? ""}`.trim());
}

export const offline = () => show("offline", FINAL[link.closed] ?? BUSY[link.closed] ?? noConnection(link.heardAt));
export const silent = () => show("stale", notHeard(link.heardAt));
