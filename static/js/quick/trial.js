/* The command and the dry run that an action's form shows: of what stands in its input. */

import { PART } from "./dialog.js";

let asking = 0;

document.addEventListener("input", ({ target }) => {
  const form = target.closest?.(`${PART} form[data-command]`);
  if (!form) return;
  clearTimeout(asking);
  asking = setTimeout(() => showTrial(form), 300);
});

async function showTrial(form) {
  const url = new URL(form.action);
  for (const name of ["wanted", "path"]) if (form.elements[name]) url.searchParams.set(name, form.elements[name].value);
  try {
    const answer = await fetch(url);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!form.isConnected || url.searchParams.get("wanted") !== form.elements.wanted?.value) return; // typed on meanwhile
    for (const part of [".command", "[data-trial]"]) {
      const now = page.querySelector(`${PART} ${part}`);
      if (now) form.querySelector(part)?.replaceChildren(...[...now.childNodes].map((each) => document.adoptNode(each)));
    }
  } catch {
    // it says what it said
  }
}
