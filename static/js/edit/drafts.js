/* Drafts of an editor, saved on the server: a second after a pause, every few seconds while somebody keeps typing, and
   when the page is left. Each save has a higher number than the one before, so that a late one changes nothing. Without
   this script every button saves the draft. edit/edit.js reports when something was typed, and lets the page be left
   without a question once it is saved. */

import { tooMuch } from "./size_limit.js";

const form = document.getElementById("edit");
const note = document.getElementById("draft-note");
const KEEP = "/drafts/keep/";
const PAUSE = 900; // milliseconds without a key press until the text is saved
const LONGEST = 5000; // milliseconds of typing until it is saved anyway
const AGAIN = 5000; // milliseconds until the next try after a failed save

const state = { timer: 0, since: 0, asking: false, typed: 0, saved: 0, refused: -1, edition: 0, based: false, base: 0, leaving: false, elsewhere: false, discarded: -Infinity, message: "" };
const inputs = form?.elements;

/* Whether typed text is still to be saved. A text that was refused for good is not sent again until it changes. */
const isUnsaved = () => state.saved < state.typed && state.refused !== state.typed;

/* Nothing is saved after Discard was pressed, unless the page is still open ten seconds later. */
const isDiscarded = () => performance.now() - state.discarded < 10_000;

/* Only the first save carries the text that the edit began with, which may be long; none has untouched form inputs. */
function body(fork) {
  const data = new FormData(form);
  for (const [name, value] of [...data]) {
    if (!name.startsWith("field.") || value !== data.get(`shown.${name.slice("field.".length)}`)) continue;
    data.delete(name);
    data.delete(`shown.${name.slice("field.".length)}`);
  }
  for (const [name, value] of [...data]) if (value instanceof File) data.delete(name);
  if (fork) data.set("draft", [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  if (fork || !state.based) return data;
  data.delete("base");
  return data;
}

function next() {
  inputs.draft_number.value = Number(inputs.draft_number.value) + 1;
}

function tell(words) {
  if (!note || state.message === words) return;
  state.message = words;
  note.replaceChildren();
  if (!words) return;
  const line = document.createElement("p");
  line.className = "note warn";
  line.textContent = words;
  note.append(line);
}

/* A proxy with sign-in redirects, refuses, or responds with its own page. */
function isSignedOut({ type, status, ok, headers }) {
  return type === "opaqueredirect" || status === 401 || status === 403 || (ok && !headers.get("content-type")?.includes("json"));
}

function showCount(count) {
  for (const place of document.querySelectorAll("[data-drafts]")) place.textContent = count || "";
}

function take(answer, typed, sent, base) {
  if (answer.problem) {
    tell(answer.problem);
    if (!answer.for_good) return schedule(AGAIN);
    state.refused = typed;
    return;
  }
  const latest = typed === state.typed;
  if (answer.late && latest && !state.leaving && !isDiscarded()) return send(true); // the draft has ended or is another tab's: this text becomes a separate one
  if (answer.late) return;
  state.saved = typed;
  if (base === state.base) state.based = true; // otherwise a merge came while this save was on its way
  if (latest) form.dispatchEvent(new CustomEvent("deltaboard:kept", { detail: { edition: state.edition } }));
  inputs.draft.value = answer.draft;
  if (answer.forked || answer.draft !== sent) tell("Another tab continued the same draft, or ended it. What you write here is kept as a separate draft.");
  else if (answer.others) tell(`There ${answer.others === 1 ? "is another draft" : `are ${answer.others} other drafts`} of this object in this browser, perhaps in another tab. Each is kept separately: see Drafts in the menu.`);
  else tell("");
  showCount(answer.count);
}

async function send(fork = false) {
  clearTimeout(state.timer);
  state.timer = state.since = 0;
  next();
  const data = body(fork);
  const much = tooMuch(data);
  if (much) return tell(`${much} So it is not kept as a draft: it is on this page only. Shorten it, or keep a copy elsewhere.`);
  state.asking = true;
  const typed = state.typed;
  const base = state.base;
  try {
    const response = await fetch(KEEP, { method: "POST", body: data, redirect: "manual" });
    if (isSignedOut(response)) {
      tell("What you type cannot be kept as a draft just now: you are no longer signed in, or this page is too old. The text stays here. Sign in again in another tab, and it is kept again.");
      return schedule(AGAIN);
    }
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    take(await response.json(), typed, inputs.draft.value, base);
  } catch {
    tell("What you type cannot be kept as a draft just now: the server does not answer. Deltaboard keeps trying.");
    schedule(AGAIN);
  } finally {
    state.asking = false;
    if (isUnsaved() && !state.timer) schedule(PAUSE);
  }
}

function due() {
  state.timer = 0;
  if (state.asking) return schedule(PAUSE);
  if (isDiscarded()) return schedule(AGAIN);
  if (isUnsaved() && !state.leaving) send();
}

function schedule(wait) {
  clearTimeout(state.timer);
  state.timer = setTimeout(due, wait);
}

function typed(edition) {
  state.typed += 1;
  state.leaving = false; // typing means that the page was not left
  state.edition = edition;
  state.since ||= performance.now();
  const left = state.since + LONGEST - performance.now();
  schedule(Math.max(0, Math.min(PAUSE, left)));
}

/* A beacon holds 64 kB. Longer text was saved during typing, or is sent by a request that the browser may abort. */
function leave() {
  if (state.leaving || isDiscarded() || !isUnsaved()) return;
  next();
  const data = body();
  state.saved = state.typed;
  if (!navigator.sendBeacon(KEEP, data)) fetch(KEEP, { method: "POST", body: data }).catch(() => {});
}

if (inputs?.draft) {
  form.addEventListener("deltaboard:edited", ({ detail }) => typed(detail.edition));
  form.addEventListener("deltaboard:based", () => { state.based = false; state.base += 1; state.refused = -1; });
  const text = document.getElementById("yaml");
  if (text && text.value !== text.defaultValue) typed(0); // typed before this script was loaded
  form.addEventListener("click", (event) => {
    state.elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    setTimeout(() => { state.elsewhere = false; }); // a click that submits has submitted by then
  });
  form.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    next();
    if (event.submitter?.name === "discard" && !state.elsewhere) state.discarded = performance.now();
    state.leaving = !state.elsewhere; // a submit into another tab leaves this one open
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && !state.asking && isUnsaved() && !state.leaving && !isDiscarded()) send();
  });
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", () => { state.leaving = false; state.discarded = -Infinity; });
}
