/* Form beside the text: it applies the server's responses, keeps focus, folds and half-typed items, and lets its
   buttons work without a page load. Without this script the same buttons post the page.

   The server sends values if the inputs stay the same, and HTML if they change. A new item or an entry's name counts
   when it is finished (Add, Enter, another field), not with every key press. */

import { trusted } from "../page/trusted_html.js";
import { refreshOutline } from "./form_outline.js";
import { showPartOf } from "./yaml_form_layout.js";

const form = document.getElementById("edit");
const holder = document.getElementById("edit-form");

const HALF = ["new.", "newkey.", "child.", "form.find"]; // read with a button or a finished word, not with every key press
const beginsWith = (names) => ({ name = "" }) => names.some((each) => name.startsWith(each));
export const isHalfTyped = beginsWith(["new.", "newkey.", "child.", "key."]);
const isHalf = beginsWith(HALF);

const firstOf = (input) => input.defaultValue ?? [...input.options].find((each) => each.defaultSelected)?.value ?? input.options[0]?.value;
const inputs = () => [...(holder?.querySelectorAll('[name^="field."], [name^="key."], [name^="new"]') ?? [])];
export const isFormTouched = () => inputs().some((input) => input.value !== firstOf(input));

/* The form data sent while somebody types, without half-typed inputs. */
export function withoutHalfTyped(body) {
  for (const name of [...body.keys()]) if (isHalf({ name }) && name !== "form.find") body.delete(name);
  const { activeElement } = document;
  if (activeElement?.name?.startsWith("key.")) body.delete(activeElement.name);
  return body;
}

function takeFields(fields) {
  for (const input of inputs()) {
    const value = fields[input.name];
    if (value === undefined || (input.name.startsWith("key.") && input === document.activeElement)) continue;
    if (input.value !== value) input.value = value;
    const initial = form.elements[`shown.${input.name.slice("field.".length)}`];
    if (initial) initial.value = value;
  }
}

const selectionOf = ({ id, selectionStart = null, selectionEnd = null }) => ({ id, selectionStart, selectionEnd });

/* Replaces the inputs. Half-typed inputs, folds and the cursor stay, unless the server has applied the half-typed
   inputs. */
function replace(html, tookHalves) {
  const active = holder.contains(document.activeElement) ? document.activeElement : null;
  const cursor = active && selectionOf(active);
  const values = new Map([...holder.querySelectorAll("input, select")]
    .filter((input) => (input === active && input.name.startsWith("key.")) || (!tookHalves && isHalf(input)) || input.name === "form.find")
    .map((input) => [input.name, input.value]));
  const scrolled = document.getElementById("form-outline")?.scrollTop ?? 0;
  const folds = new Map([...holder.querySelectorAll("[data-fold]")].map((each) => [each.dataset.fold, each.open]));
  holder.innerHTML = trusted(html);
  for (const input of holder.querySelectorAll("input, select")) {
    if (values.has(input.name) && input.value !== values.get(input.name)) input.value = values.get(input.name);
  }
  for (const each of holder.querySelectorAll("[data-fold]")) {
    if (folds.has(each.dataset.fold)) each.open = folds.get(each.dataset.fold);
  }
  if (scrolled) document.getElementById("form-outline")?.scrollTo(0, scrolled);
  if (cursor) restore(cursor);
  refreshOutline();
}

function restore({ id, selectionStart, selectionEnd }) {
  const input = id && document.getElementById(id);
  if (!input) return;
  input.focus({ preventScroll: true });
  if (selectionStart !== null && input.setSelectionRange && input.selectionStart !== null) input.setSelectionRange(selectionStart, selectionEnd);
}

/* Opens the folds around a field, and focuses its first input. */
export function focusOn(id) {
  const place = document.getElementById(id);
  if (!place) return;
  showPartOf(place);
  for (let fold = place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const branch = place.querySelector(":scope > details");
  if (branch) branch.open = true;
  const input = place.matches("input, select, textarea") ? place : place.querySelector("input:not([type=hidden]), select, textarea");
  (input ?? place).focus();
}

/* Applies a response of the check, or of one of the form's buttons. */
export function takeForm(answer, { pressed = false } = {}) {
  if (!holder) return;
  if (answer.form !== undefined) replace(answer.form, pressed && answer.valid !== undefined);
  if (answer.fields) takeFields(answer.fields);
  if (pressed && answer.focus) focusOn(answer.focus);
}

if (holder) {
  holder.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key !== "Enter" || target.tagName !== "INPUT") return;
    const button = target.closest(".new")?.querySelector("button[name=change]");
    if (button || target.name === "form.find") event.preventDefault();
    button?.click();
  });
  form.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#field."]');
    if (!link) return;
    event.preventDefault();
    focusOn(link.getAttribute("href").slice(1));
  });
}
