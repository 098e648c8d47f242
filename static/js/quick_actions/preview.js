/* Preview in an action's form: the command and the dry run for the current inputs. */

import { parsePage } from "../page/trusted_html.js";
import { PART } from "./dialog.js";

const NAMES = ["wanted", "path", "seconds"];
let asking = 0;

document.addEventListener("input", ({ target }) => {
  const form = target.closest?.(`${PART} form[data-command]`);
  if (!form) return;
  clearTimeout(asking);
  asking = setTimeout(() => showTrial(form), 300);
});

async function showTrial(form) {
  const url = new URL(form.action);
  const typed = () => NAMES.filter((name) => form.elements[name]).map((name) => [name, form.elements[name].value]);
  for (const [name, value] of typed()) url.searchParams.set(name, value);
  try {
    const answer = await fetch(url);
    const page = parsePage(await answer.text());
    if (!form.isConnected || typed().some(([name, value]) => url.searchParams.get(name) !== value)) return; // typed on
    for (const part of [".command", "[data-trial]"]) {
      const now = page.querySelector(`${PART} ${part}`);
      if (now) form.querySelector(part)?.replaceChildren(...[...now.childNodes].map((each) => document.adoptNode(each)));
    }
  } catch {
    // the last preview stays
  }
}
