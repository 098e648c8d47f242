/* Sentences that say why a page is not live, in local time. The functions here are pure. */

const NAMED = 3; // kinds with the same problem

const two = (number) => String(number).padStart(2, "0");

/* Close codes after which the page does not connect again by itself. */
export const FINAL = {
  4400: "The server did not understand what this page asked for. Reload the page.",
  4401: "You are signed out, so this page no longer shows what the cluster has.",
  4403: "The server does not let this page follow changes. Reload the page.",
  4404: "The server no longer has this page. What you see is no longer kept up to date.",
  4429: "This page asked the server for too much. Reload the page.",
};
export const SIGNED_OUT = 4401;
/* Close codes after which it tries again after a while: at first after 6 seconds, later every 30. */
export const BUSY = {
  4503: "Deltaboard is busy: too many of its pages are open, or were opened at once. Close some that you do not need. What you see is not kept up to date until this page is let in; it tries again by itself.",
};
export const STRANGE = "This page and its server disagree on what it shows. Reload the page.";
export const CATCHING_UP = "Loading what changed while this page was hidden.";
export const INCOMPLETE = "What you see is not complete. The rest is being fetched.";

export function timeOfDay(milliseconds) {
  const date = new Date(milliseconds);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

export const noConnection = (heardAt) =>
  `No connection to Deltaboard since ${timeOfDay(heardAt)}. What you see is from then. Trying again.`;
export const notHeard = (heardAt) =>
  `Deltaboard has not been heard since ${timeOfDay(heardAt)}. What you see is from then. Connecting again.`;

export const tooSlow = (late) =>
  `What you see is ${Math.round(late / 1000)} s old: the connection to Deltaboard, or this browser, is too slow for so many changes.`;

/* The time of day of a moment, with the day where that is not the one of `now`; both in seconds. */
function since(moment, now) {
  const date = new Date(moment * 1000);
  const isToday = date.toDateString() === new Date(now * 1000).toDateString();
  return `${isToday ? "" : `${two(date.getMonth() + 1)}-${two(date.getDate())} `}${timeOfDay(moment * 1000)}`;
}

/* A problem of the beat: {text with {since}, since, retry_at, title}; `now` in the server's seconds. */
function problemWords(problem, now) {
  let words = problem.text.replace("{since}", problem.since ? since(problem.since, now) : "");
  if (problem.retry_at) {
    const seconds = Math.round(problem.retry_at - now);
    words += seconds > 0 ? ` Trying again in ${seconds} s.` : " Trying again now.";
  }
  return words;
}

/* The problems of the kinds that a page shows, or of its other parts. A kind that may not be listed is a problem of its
   own page, and of a page of many kinds only if none of them may be listed. */
export function problemsOf(beat, shownKeys) {
  const keys = shownKeys.length ? shownKeys : Object.keys(beat.problems);
  const problems = keys.map((key) => beat.problems[key] ?? beat.parts?.[key]).filter(Boolean);
  const others = problems.filter((problem) => problem.state !== "forbidden");
  return others.length || problems.length < keys.length ? others : problems;
}

/* The text with {kinds} where it names its kind, the same for kinds with the same problem. */
const textOfKinds = (problem) => problem.text.replace(problem.title, "{kinds}");

/* "Pods, Nodes and Events"; of more than NAMED the others are counted. */
function namesOf(problems) {
  const more = problems.length - NAMED;
  const names = problems.slice(0, NAMED).map((problem) => problem.title);
  if (more > 0) names.push(`${more} other kind${more > 1 ? "s" : ""}`);
  return names.join(", ").replace(/, ([^,]*)$/, " and $1");
}

/* Some sentences for the problems of a page; `kinds` is the number of kinds that it shows. outage_text of freshness.py
   writes the same. */
export function wordsOf(beat, problems, kinds, now) {
  if (beat.problem) return beat.problem;
  const [first] = problems;
  const isAll = problems.length === kinds;
  const isOneState = isAll && problems.every((problem) => problem.state === first.state);
  const text = textOfKinds(first);
  const alike = problems.filter((problem) => textOfKinds(problem) === text);
  const others = problems.filter((problem) => !alike.includes(problem));
  const since = Math.min(...alike.map((problem) => problem.since || Infinity));
  let words = problemWords({ ...first, text: text.replace("{kinds}", namesOf(alike)), since: Number.isFinite(since) ? since : null }, now);
  if (!text.includes("{kinds}") && kinds !== 1 && !(isAll && !others.length)) words = `${namesOf(alike)}: ${words}`;
  if (isOneState && first.state === "forbidden" && kinds > 1) return `Nothing can be read. ${words}`;
  if (!others.length || (isOneState && first.state !== "stale")) return words;
  return `${words} ${namesOf(others)} may not be up to date either.`;
}
