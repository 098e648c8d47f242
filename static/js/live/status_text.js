/* Why a page is not live, as sentences in local time. Nothing here changes anything. */

const two = (number) => String(number).padStart(2, "0");

/* Close codes after which the page does not connect again by itself. */
export const FINAL = {
  4400: "The server did not understand what this page asked for. Reload the page.",
  4403: "The server does not let this page follow changes. Sign in again or reload the page.",
  4404: "The server knows no such page any more. What you see is no longer kept up to date.",
  4429: "This page asked the server for too much. Reload the page.",
};
export const STRANGE = "This page and its server disagree on what it shows. Reload the page.";
export const CATCHING_UP = "What changed while nobody looked is on its way.";
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
  `What you see is ${Math.round(late / 1000)} s old: the line from Deltaboard to here, or this browser, is too slow for all that changes.`;

/* A problem of the beat: {text with {since}, since, retry_at, title}; `now` in the server's seconds. */
function problemWords(problem, now) {
  const since = problem.since ? timeOfDay(problem.since * 1000) : "";
  let words = problem.text.replace("{since}", since);
  if (problem.retry_at) {
    const seconds = Math.round(problem.retry_at - now);
    words += seconds > 0 ? ` Trying again in ${seconds} s.` : " Trying again now.";
  }
  return words;
}

/* The problems of the kinds that a page shows, or of another part: what beside kinds a page may show. What may not be
   listed spoils its own page, not those of many kinds, unless nothing at all may be. */
export function problemsOf(beat, shownKeys) {
  const keys = shownKeys.length ? shownKeys : Object.keys(beat.problems);
  const found = keys.map((key) => beat.problems[key] ?? beat.parts?.[key]).filter(Boolean);
  return found.length < keys.length ? found.filter((problem) => problem.state !== "forbidden") : found;
}

/* One sentence or two for the problems of a page that shows so many kinds. */
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
