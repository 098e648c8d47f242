/* Highlighting on the page of conflicts: marks in “theirs” and “mine” the text that the base does not have. */
import { diff } from "../../vendor/codemirror/codemirror.min.js";

const LONG = 2; // characters: a value that keeps no more than these counts as new as a whole
const DIFF = { scanLimit: 500, timeout: 50 };

function markWhatIsNew(place, base) {
  const text = place.textContent;
  const changes = diff(base, text, DIFF).filter(({ fromB, toB }) => toB > fromB);
  const same = text.length - changes.reduce((sum, { fromB, toB }) => sum + toB - fromB, 0);
  if (!changes.length || same <= LONG) return;
  const parts = [];
  let at = 0;
  for (const { fromB, toB } of changes) {
    const mark = Object.assign(document.createElement("mark"), { textContent: text.slice(fromB, toB) });
    parts.push(text.slice(at, fromB), mark);
    at = toB;
  }
  place.replaceChildren(...parts, text.slice(at));
}

for (const sides of document.querySelectorAll(".sides")) {
  const base = sides.querySelector(".side-base pre").textContent;
  for (const place of sides.querySelectorAll(".side-choice pre")) markWhatIsNew(place, base);
}
