/* The editor: form and YAML are one, problems show while typing, a change by somebody else shows at once. On every page
   that carries an edit, the review too, leaving asks first.

   The server does the thinking: what is typed goes to data-check and the answer is shown, unless the person has typed
   on meanwhile. Without this script the same happens with the buttons. */

const form = document.getElementById("edit");
const text = document.getElementById("yaml");
const check = form?.dataset.check;
const PAUSE = 350; // milliseconds without a key until the server is asked

let timer = 0;
let edition = 0; // grows with each key, so that a late answer is known as such
let asking = null;
let leaving = false;

/* What the page came with; somebody may have typed before this script ran, and browsers put typed text back. */
const original = text?.defaultValue;
const firstOf = (input) => input.defaultValue ?? [...input.options].find((each) => each.defaultSelected)?.value ?? input.options[0]?.value;
const inputs = () => [...form.querySelectorAll('[name^="field."]')];
const shownOf = (input) => form.elements[`shown.${input.name.slice("field.".length)}`];

const isTouched = () => text?.value !== original || inputs().some((input) => input.value !== firstOf(input));
const isDirty = () => Number(form.dataset.changed ?? 1) > 0 || isTouched();

function replaceHtml(id, html) {
  const element = document.getElementById(id);
  if (element && element.innerHTML.trim() !== html.trim()) element.innerHTML = html;
}

function showState(answer) {
  const state = document.getElementById("edit-state");
  if (state) {
    state.textContent = answer.valid ? "valid" : "see above";
    state.className = `push facet ${answer.valid ? "ok" : "bad"}`;
  }
  const button = document.getElementById("edit-review");
  if (button && answer.changes !== undefined) {
    const words = answer.changes === 1 ? " 1 change" : ` ${answer.changes} changes`;
    button.textContent = `Review${answer.changes ? words : ""}`;
  }
}

function takeFields(fields) {
  for (const input of inputs()) {
    const value = fields[input.name];
    if (value === undefined) continue;
    if (input.value !== value) input.value = value;
    shownOf(input).value = value;
    if (value !== firstOf(input)) forgive(input);
  }
}

/* What was said about a field is about what stood in it. */
function forgive(input) {
  const field = input.closest(".field");
  field.classList.remove("wrong");
  input.removeAttribute("aria-invalid");
  for (const said of field.querySelectorAll("small.bad")) said.remove();
}

function take(answer) {
  showState(answer);
  replaceHtml("edit-problems", answer.problems ?? "");
  if (answer.yaml) {
    const { selectionStart, selectionEnd, scrollTop } = text;
    text.value = answer.yaml;
    text.setSelectionRange(selectionStart, selectionEnd);
    text.scrollTop = scrollTop;
  }
  if (answer.fields) takeFields(answer.fields);
}

async function ask(look) {
  if (!check) return;
  asking?.abort();
  asking = new AbortController();
  const asked = edition;
  const body = new FormData(form);
  if (look) body.set("look", "1");
  let answer;
  try {
    const response = await fetch(check, { method: "POST", body, signal: asking.signal });
    if (!response.ok) return;
    answer = await response.json();
  } catch {
    return; // the buttons still work, and say what is wrong
  }
  if (answer.theirs !== undefined) replaceHtml("edit-theirs", answer.theirs);
  if (asked === edition && answer.valid !== undefined) take(answer);
}

function typed() {
  edition += 1;
  document.getElementById("edit-refusal")?.toggleAttribute("data-before", true);
  clearTimeout(timer);
  timer = setTimeout(ask, PAUSE);
}

/* The hidden live copy of the object's details carries its version, or says that it is gone; a frame replaces it. */
let seen = form?.dataset.version;

function look() {
  const live = document.querySelector("[id^='detail-']");
  if (!live) return;
  const state = "gone" in live.dataset ? "gone" : live.dataset.version ?? "gone";
  if (state === seen) return;
  seen = state;
  clearTimeout(timer);
  ask(true);
}

function goTo(line, column) {
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  text.focus();
  text.setSelectionRange(start + column - 1, start + (lines[line - 1] ?? "").length);
  text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
}

if (form) {
  form.addEventListener("submit", () => { leaving = true; });
  form.addEventListener("click", (event) => {
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey; // a tab or window of its own
    if (event.target.closest("[data-discard]") && !elsewhere) leaving = true;
  });
  window.addEventListener("beforeunload", (event) => {
    if (!leaving && isDirty()) event.preventDefault();
    leaving = false; // it was said about this attempt, which may yet be stopped
  });
}

if (form && text) {
  form.addEventListener("input", typed);
  if (isTouched()) typed();
  form.addEventListener("click", ({ target }) => {
    const place = target.closest("[data-line]");
    if (place) goTo(Number(place.dataset.line), Number(place.dataset.column));
  });
  document.addEventListener("deltaboard:frame", look);
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit(document.getElementById("edit-review") ?? form.querySelector("button[name=review]"));
  });
}
