/* Editor page: form and YAML show the same text, problems appear while typing, and changes by others appear at once and
   can be merged. Every page that carries an edit, also the review, asks before it is left.

   The server does the work: the typed text goes to data-check, and the response is shown unless more was typed
   meanwhile. Without this script the buttons do the same.

   The event `deltaboard:edited` on the form tells other scripts that something was typed, with the number of changes so
   far in `edition`. A script that has saved the text sends `deltaboard:kept` with that number; then the page can be
   left without a question. */

import { trusted } from "../page/trusted_html.js";
import { tooMuch } from "./size_limit.js";
import { isFormTouched, isHalfTyped, takeForm, withoutHalfTyped } from "./form.js";
import { showPartOf, showStateInTab } from "./yaml_form_layout.js";

const form = document.getElementById("edit");
const text = document.getElementById("yaml");
const check = form?.dataset.check;
const PAUSE = 350; // milliseconds without a key press until the server is asked
const PATIENCE = 900; // further milliseconds until a problem in the line being typed is shown
const SHARE = 2; // a slow server is asked only after a pause of so many response times

const state = { timer: 0, edition: 0, savedEdition: 0, took: 0, asking: null, leaving: false, elsewhere: false, editor: null, submitting: false };

/* The text that the page was rendered with. Somebody may have typed before this script ran, and browsers restore typed
   text. */
const original = text?.defaultValue;

const isTouched = () => text?.value !== original || isFormTouched();
const isDirty = () => (Number(form.dataset.changed ?? 1) > 0 || isTouched()) && !(state.edition && state.savedEdition === state.edition);

const drawn = new WeakMap(); // element → the HTML that was set; scripts have changed it since, because ages count on

function replaceHtml(id, html) {
  const element = document.getElementById(id);
  if (!element || (drawn.get(element) ?? element.innerHTML).trim() === html.trim()) return;
  drawn.set(element, html);
  element.innerHTML = trusted(html);
  document.dispatchEvent(new Event("deltaboard:times"));
}

function showState({ valid, marks, changes, says }) {
  const place = document.getElementById("edit-state");
  if (place) {
    const count = marks?.length ?? 0;
    place.textContent = says ?? (valid ? "valid" : count > 1 ? `${count} problems` : "1 problem");
    showStateInTab(place.textContent, valid);
    place.className = `push facet ${valid ? "ok" : "bad"}`;
  }
  const button = document.getElementById("edit-review");
  if (button && changes !== undefined) {
    const words = changes === 1 ? " 1 change" : ` ${changes} changes`;
    button.textContent = `Review${changes ? words : ""}`;
  }
}

/* Sets another text, from the form or from somebody else; cursor and selection stay. */
function putText(yaml, how) {
  state.editor?.push(); // otherwise text that the field still lacks would overwrite it
  const { selectionStart, selectionEnd, scrollTop } = text;
  text.value = yaml;
  if (state.editor) return state.editor.pull(how);
  text.setSelectionRange(selectionStart, selectionEnd);
  text.scrollTop = scrollTop;
}

function tell(answer) {
  state.marks = answer.marks ?? [];
  showState(answer);
  replaceHtml("edit-problems", answer.problems ?? "");
  state.editor?.mark(state.marks);
}

function take(answer, pressed) {
  state.defined = answer.defined;
  state.editor?.learn(state.defined);
  const isUnfinished = answer.marks?.some(({ line }) => line && line === state.editor?.line);
  if (isUnfinished) state.timer = setTimeout(() => tell(answer), PATIENCE);
  else tell(answer);
  if (answer.yaml && text) putText(answer.yaml);
  takeForm(answer, { pressed });
}

/* Sends the text to the check. `look`: the object may have changed; `button`: a button of the form whose change is
   wanted in the response. The note on others' changes also says whether the text touches them, so it is requested as
   long as it is shown. */
async function ask({ look, button } = {}) {
  if (!check) return;
  state.asking?.abort();
  const asking = state.asking = new AbortController();
  const edition = state.edition;
  const body = button ? new FormData(form, button) : withoutHalfTyped(new FormData(form));
  for (const [name, value] of [...body]) if (value instanceof File) body.delete(name); // files are read at the review
  if (stays(body)) return;
  if (look || document.querySelector("#edit-theirs .theirs")) body.set("look", "1");
  const began = performance.now();
  let answer;
  try {
    const response = await fetch(check, { method: "POST", body, signal: asking.signal });
    if (!response.ok) return button && submitBy(button);
    answer = await response.json();
  } catch {
    if (!button) return; // the buttons still work, and say what is wrong
    return asking.signal.aborted ? ask({ button }) : submitBy(button);
  }
  state.took = performance.now() - began;
  if (answer.theirs !== undefined) replaceHtml("edit-theirs", answer.theirs);
  if (edition !== state.edition) return button && ask({ button }); // nothing was applied: ask again with the newer text
  if (answer.valid === undefined) return button && submitBy(button);
  if (button) edited();
  take(answer, Boolean(button));
}

/* Whether the data is more than the server accepts: then the page says so, and is not left. */
function stays(body) {
  const words = tooMuch(body);
  const place = document.getElementById("edit-problems") ?? document.getElementById("draft-note");
  if (!words || !place) return false;
  const line = Object.assign(document.createElement("p"), { className: "note bad", textContent: `${words} Nothing was sent, and what you typed is still here: shorten it, or keep a copy elsewhere.` });
  line.setAttribute("role", "alert");
  place.replaceChildren(line);
  drawn.delete(place);
  return true;
}

/* Submits as a button does without this script. */
function submitBy(button) {
  state.submitting = true;
  form.requestSubmit(button);
}

function edited() {
  state.edition += 1;
  document.getElementById("edit-refusal")?.toggleAttribute("data-before", true);
  form.dispatchEvent(new CustomEvent("deltaboard:edited", { bubbles: true, detail: { edition: state.edition } }));
}

function typed(event) {
  if (event?.type === "input" && isHalfTyped(event.target)) return;
  edited();
  clearTimeout(state.timer);
  state.timer = setTimeout(() => ask(), Math.max(PAUSE, state.took * SHARE));
}

/* The hidden live details of the object carry its version, or that it is gone; frames update them. */
let seen = form?.dataset.version;

function look() {
  const live = document.querySelector("[id^='detail-']");
  if (!live) return;
  const version = "gone" in live.dataset ? "gone" : live.dataset.version ?? "gone";
  if (version === seen) return;
  seen = version;
  clearTimeout(state.timer);
  ask({ look: true });
}

/* Merges others' changes without a new page; where they conflict with what was typed, the page of conflicts comes. */
async function takeIn(button) {
  const edition = state.edition;
  let answer = {};
  try {
    const response = await fetch(form.dataset.take, { method: "POST", body: new FormData(form) });
    if (response.ok) answer = await response.json();
  } catch {
    // the button's own submit shows what is wrong
  }
  if (edition !== state.edition) return takeIn(button);
  if (answer.valid === false) return mend(answer);
  if (!answer.yaml) return submitBy(button);
  for (const [name, value] of Object.entries(answer.inputs)) form.elements[name].value = value;
  putText(answer.yaml, { theirs: true });
  replaceHtml("edit-theirs", answer.note);
  form.dispatchEvent(new CustomEvent("deltaboard:based", { bubbles: true }));
  text.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/* Shows the problems of a text into which nothing can be merged, because it is invalid, and moves the cursor to the
   first. */
function mend(answer) {
  tell(answer);
  const place = answer.marks.find(({ line }) => line);
  if (place) goTo(place.line, place.column);
}

function goTo(line, column) {
  showPartOf(text);
  if (state.editor) return state.editor.goTo(line, column);
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
  text.focus();
  text.setSelectionRange(start + column - 1, start + (lines[line - 1] ?? "").length);
  text.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(text).lineHeight));
}

/* The problems that the page was rendered with: the API server's refusal, each with its place. */
const saidMarks = () => [...form.querySelectorAll(".problems [data-line]")].map(({ dataset, parentElement }) => ({
  line: Number(dataset.line), column: Number(dataset.column), words: dataset.words ?? parentElement.innerText.trim(),
}));

async function openEditor() {
  try {
    import("../../vendor/codemirror/codemirror.min.js").catch(() => {}); // fetches the large module in parallel
    const { Editor } = await import("../editor/editor.js");
    state.editor = new Editor(text, text.labels[0]?.textContent ?? "YAML");
    state.editor.learn(state.defined);
    state.editor.mark(state.marks ?? saidMarks());
  } catch (error) {
    console.warn("The text stays a plain text box.", error);
  }
}

function reviewByKey(event) {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || (event.key !== "Enter" && event.key.toLowerCase() !== "s")) return;
  const button = document.getElementById("edit-review") ?? form.querySelector("button[name=review]");
  if (!button) return;
  event.preventDefault();
  form.requestSubmit(button);
}

if (form) {
  form.addEventListener("submit", (event) => {
    const discards = event.submitter?.name === "discard";
    if (!discards && stays(new FormData(form, event.submitter))) {
      event.preventDefault();
      state.submitting = false;
      return;
    }
    if (discards) form.addEventListener("formdata", ({ formData }) => { for (const name of ["yaml", "base"]) formData.delete(name); }, { once: true });
    const takes = event.submitter?.name === "take" && form.dataset.take;
    if (takes && !state.submitting) {
      event.preventDefault();
      return takeIn(event.submitter);
    }
    if (check && event.submitter?.name === "change" && !state.submitting) {
      event.preventDefault();
      clearTimeout(state.timer);
      return ask({ button: event.submitter });
    }
    state.leaving = !state.elsewhere; // a submit into another tab leaves this one open
  });
  form.addEventListener("click", (event) => {
    state.elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    setTimeout(() => { state.elsewhere = false; }); // a click that submits has submitted by then
  });
  form.addEventListener("deltaboard:kept", ({ detail }) => { state.savedEdition = detail.edition; });
  window.addEventListener("beforeunload", (event) => {
    if (!state.leaving && isDirty()) event.preventDefault();
    state.leaving = false; // it was about this attempt, which may still be stopped
  });
}

if (form && text) {
  form.addEventListener("input", typed);
  form.addEventListener("change", (event) => { if (event.target.name?.startsWith("key.")) typed(); });
  if (isTouched()) typed();
  else if (text.dataset.several !== undefined && text.value.trim()) ask(); // a draft, or a text after its review
  form.addEventListener("click", ({ target }) => {
    const place = target.closest("[data-line]");
    if (place) goTo(Number(place.dataset.line), Number(place.dataset.column));
  });
  document.addEventListener("keydown", reviewByKey);
  openEditor();
}

if (check) document.addEventListener("deltaboard:frame", look);
if (document.querySelector("[data-compare]")) import("../editor/review_diff.js");
if (document.querySelector(".sides")) import("../editor/conflict_highlight.js");
