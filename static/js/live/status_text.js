/* Sentences that say why a page is not live, in local time. The functions here are pure. */

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
  return problems.length < keys.length ? problems.filter((problem) => problem.state !== "forbidden") : problems;
}

/* One or two sentences for the problems of a page; `kinds` is the number of kinds that it shows. */
export function wordsOf(beat, problems, kinds, now) {
  if (beat.problem) return beat.problem;
  const [first] = problems;
  const same = problems.every((problem) => problem.state === first.state);
  const words = problemWords(first, now);
  const nothing = problems.length === kinds && problems.every((problem) => problem.state === "forbidden");
  if (nothing && problems.length > 1) return `Nothing can be read. ${words}`;
  if (kinds === 1 || (same && problems.length === kinds)) return words;
  if (problems.length === 1 && words.includes(first.title)) return words;
  return `${problems.map((problem) => problem.title).join(", ")}: ${words}`;
}
