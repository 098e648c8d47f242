/* Ages and clock times of the page, written as text and kept current:

   <time data-age="object" datetime>  how long ago, as kubectl prints it: 4s, 3m12s, 38m, 12d; "in 12d" for a moment to
                                      come, such as the end of a certificate, for which kubectl writes <invalid>
   <time data-age="ago" datetime>     the same in a sentence: "4s ago"; on a page of the past the time of day
   <time data-age="for" datetime>     the same as a span: "for 4s"
   <time data-age="until" datetime>   how long until then: "in 42s", "now"
   <time data-clock datetime>         the browser's time of day, to the millisecond, with the day where it is not today
   <time data-clock="seconds">        the same to the second; in UTC within [data-ui-utc]
   [data-age="browser"]               since this page last heard from its server
   [data-age="cluster"], [data-age-of="cluster"]   since the server last heard from the API server

   One timer sleeps until the whole second after which the first text can change, so that all changes of a second are
   drawn at once; only changed texts are written. Ages count on the cluster's clock: heartbeats bring the offset.
   On a page of the past the clock stands still at its moment. Without scripts the server's UTC text stays. UTC and local time are shown on hover. */

import { now as steadyNow } from "../live/steady_clock.js";
import { shownMoment } from "./shown_moment.js";

const SECOND = 1, MINUTE = 60, HOUR = 3600, DAY = 86400, YEAR = 365 * DAY;
const SKEW = 60; // seconds that the clocks of others may be ahead: what was created is not "in 3s"
const MARK = "data-ui-age"; // morphing leaves attributes that begin with data-ui alone
const written = new WeakMap(); // element → {source, offset, due}
const clock = { offset: 0, heardAt: 0, cluster: null, timer: 0 };

const whole = (value, size) => Math.floor(value / size);

/* kubectl's duration.HumanDuration: the words, and the seconds until they can change. */
function human(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  const pair = (big, bigUnit, small, smallUnit) => {
    const rest = whole(s % big, small);
    return `${whole(s, big)}${bigUnit}${rest ? `${rest}${smallUnit}` : ""}`;
  };
  if (s < 2 * MINUTE) return [`${s}s`, SECOND];
  if (s < 10 * MINUTE) return [pair(MINUTE, "m", SECOND, "s"), SECOND];
  if (s < 3 * HOUR) return [`${whole(s, MINUTE)}m`, MINUTE - (s % MINUTE)];
  if (s < 8 * HOUR) return [pair(HOUR, "h", MINUTE, "m"), MINUTE - (s % MINUTE)];
  if (s < 2 * DAY) return [`${whole(s, HOUR)}h`, HOUR - (s % HOUR)];
  if (s < 8 * DAY) return [pair(DAY, "d", HOUR, "h"), HOUR - (s % HOUR)];
  if (s < 2 * YEAR) return [`${whole(s, DAY)}d`, HOUR];
  if (s < 8 * YEAR) return [pair(YEAR, "y", DAY, "d"), HOUR];
  return [`${whole(s, YEAR)}y`, HOUR];
}

/* For sentences: "1 s ago", "2 min ago", "3 h ago". */
function plain(seconds) {
  const s = Math.max(0, seconds);
  if (s < 1) return "just now";
  if (s < 2 * MINUTE) return `${Math.floor(s)} s ago`;
  if (s < 2 * HOUR) return `${whole(s, MINUTE)} min ago`;
  if (s < 2 * DAY) return `${whole(s, HOUR)} h ago`;
  return `${whole(s, DAY)} days ago`;
}

/* A moment (seconds) as RFC 3339 has it, in the browser's zone or in UTC. */
function wallClock(moment, isUtc) {
  const date = new Date(moment * 1000);
  return new Date(date - (isUtc ? 0 : MINUTE * 1000 * date.getTimezoneOffset())).toISOString();
}

/* Writes a time of day; returns when the day is over. */
function writeClock(element, at, moment, isUtc) {
  const [time, today] = [wallClock(at, isUtc), wallClock(moment, isUtc)];
  const day = time.slice(0, 10) === today.slice(0, 10) ? "" : `${time.slice(5, 10)} `;
  put(element, `${day}${time.slice(11, element.dataset.clock || element.dataset.age ? 19 : 23)}`);
  return moment + DAY - (Date.parse(today) / 1000) % DAY;
}

function put(element, text) {
  const node = element.firstChild;
  if (node?.nodeType === Node.TEXT_NODE && node === element.lastChild) {
    if (node.nodeValue !== text) node.nodeValue = text;
  } else element.textContent = text;
}

const now = () => (shownMoment() ? Date.parse(shownMoment()) / 1000 : Date.now() / 1000 + clock.offset);

function countUp(element, elapsed, moment) {
  if (elapsed < -SKEW) return countDown(element, -elapsed, moment);
  const [words, changes] = human(elapsed);
  const { age } = element.dataset;
  put(element, age === "ago" ? `${words} ago` : age === "for" ? `for ${words}` : words);
  return moment + changes - (elapsed > 0 ? elapsed % 1 : 0);
}

function countDown(element, left, moment) {
  put(element, left > 0 ? `in ${human(Math.ceil(left))[0]}` : "now");
  return left > 0 ? moment + (left % 1 || 1) : Infinity;
}

/* Writes one time element; returns the moment (seconds) at which its text can change. */
function write(element, moment) {
  const source = element.getAttribute("datetime");
  const last = written.get(element);
  const isUtc = element.closest("[data-ui-utc]") !== null;
  if (last && last.source === source && last.offset === clock.offset && last.isUtc === isUtc && last.due > moment) return last.due;
  const at = Date.parse(source) / 1000;
  let due = Infinity;
  if (Number.isFinite(at)) {
    if (element.hasAttribute("data-clock") || (shownMoment() && element.dataset.age === "ago")) due = writeClock(element, at, moment, isUtc);
    else {
      due = element.dataset.age === "until" ? countDown(element, at - moment, moment) : countUp(element, moment - at, moment);
    }
  }
  if (!last) element.setAttribute(MARK, "");
  written.set(element, { source, offset: clock.offset, isUtc, due });
  return due;
}

const times = document.getElementsByTagName("time"); // a live collection: no new search is needed

function writeTimes() {
  const moment = now();
  let due = Infinity;
  for (const element of times) {
    if (element.hasAttribute("data-age") || element.hasAttribute("data-clock")) {
      due = Math.min(due, write(element, moment));
    }
  }
  return due - moment;
}

const headers = document.querySelectorAll("[data-age=browser], [data-age=cluster], [data-age-of=cluster]");

function writeHeader() {
  if (!clock.heardAt) return;
  const browser = (steadyNow() - clock.heardAt) / 1000;
  const cluster = clock.cluster === null ? null : clock.cluster + browser;
  for (const element of headers) {
    const value = element.dataset.age === "browser" ? browser : cluster;
    put(element, value === null ? "not yet" : plain(value));
  }
}

function tick() {
  clearTimeout(clock.timer);
  if (document.hidden) return;
  const due = Math.min(writeTimes(), headers.length && clock.heardAt ? 0.9 : Infinity);
  writeHeader();
  if (due === Infinity) return;
  const moment = now();
  const next = Math.ceil(moment + Math.min(due, HOUR) - 0.001); // what is due at a whole second may be a hair beyond it
  clock.timer = setTimeout(tick, (Math.max(next, Math.floor(moment) + 1) - moment) * 1000 + 15);
}

function onBeat({ detail: beat }) {
  const offset = beat.offset ?? beat.now - Date.now() / 1000;
  if (Math.abs(offset - clock.offset) > 0.5) clock.offset = offset;
  clock.heardAt = steadyNow() - 1000 * (beat.late ?? 0); // its content is that old
  clock.cluster = beat.heard ? Math.max(0, beat.now - beat.heard) : null;
  writeWhy(beat.why ?? {}, beat.now);
  tick();
}

/* The popover's numbers: Unix seconds become ages, everything else is shown as it is. */
function writeWhy(why, moment) {
  for (const element of document.querySelectorAll("[data-why]")) {
    const value = why[element.dataset.why];
    if (value === undefined) continue;
    const isMoment = element.dataset.why.startsWith("last_");
    put(element, value === null ? "none yet" : isMoment ? plain(moment - value) : String(value));
  }
}

/* The title of an age, with UTC and local time, is set when the pointer reaches it. */
function writeTitle({ target }) {
  const element = target.closest?.("time[datetime]");
  if (!element) return;
  const date = new Date(element.getAttribute("datetime"));
  if (Number.isNaN(date.getTime())) return;
  const utc = date.toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
  element.title = `${utc}\n${date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "long" })}`;
}

export function start() {
  document.addEventListener("deltaboard:beat", onBeat);
  document.addEventListener("htmx:after:swap", tick);
  document.addEventListener("deltaboard:times", tick);
  document.addEventListener("visibilitychange", tick);
  window.addEventListener("pageshow", tick);
  document.addEventListener("pointerover", writeTitle);
  tick();
}
