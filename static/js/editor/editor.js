/* The YAML editor: CodeMirror in a shadow root, over the form's own textarea, which stays the field that is sent, works
   without this script, and is kept in step both ways: its `input` event means that the text has changed.

   CodeMirror's styles are adopted by the shadow root, so that the page's Content-Security-Policy holds. */
import {
  Annotation, bracketMatching, closeBrackets, closeBracketsKeymap, codeFolding, Compartment, completionKeymap,
  Decoration, defaultKeymap, diff, drawSelection, dropCursor, EditorState, EditorView, foldGutter, foldKeymap,
  highlightActiveLine, highlightActiveLineGutter, highlightSelectionMatches, history,
  historyKeymap, indentOnInput, indentUnit, indentWithTab, keymap, lineNumbers, lintGutter, lintKeymap,
  rectangularSelection, search, searchKeymap, StateEffect, StateField, tooltips, Transaction, yaml,
} from "../../vendor/codemirror/codemirror.min.js";
import { completion, takeWithTab } from "./completion.js";
import { showMarks } from "./diagnostics.js";
import { Schema } from "./schema.js";
import { theme } from "./theme.js";
import { visibleCharacters } from "./invisible_characters.js";

const LARGE = 100_000; // characters from which on the textarea is updated only in pauses and is hidden
const PAUSE = 150; // milliseconds
const NARROW = matchMedia("(max-width: 640px)");
const LINE = 20; // pixels
const SHOWN = 2500; // milliseconds for which merged lines are highlighted
const DIFF = { scanLimit: 500, timeout: 100 };

const fromField = Annotation.define(); // marks a change that the textarea already has

/* ---- highlighting of merged lines ---- */

const mergedLines = StateEffect.define();
const mergedLinesField = StateField.define({
  create: () => Decoration.none,
  update(lines, transaction) {
    let now = lines.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(mergedLines)) now = Decoration.set(effect.value.map((at) => Decoration.line({ class: "cm-taken" }).range(at)));
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/* ---- what is typed over a selection ---- */

/* Chromium itself would give the new text the style of the old, as an attribute, which the page's policy forbids. */
const typedOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { state } = view;
    const { from, to, empty } = state.selection.main;
    if (inputType !== "insertText" || !data || empty || view.composing) return false;
    const insert = () => state.update(state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const isTaken = state.facet(EditorView.inputHandler).some((handler) => handler(view, from, to, data, insert));
    if (!isTaken) view.dispatch(insert());
    return true;
  },
});

function extensions(label, schema, wrapping, onChange) {
  return [
    lineNumbers(), lintGutter(), foldGutter(), codeFolding(), visibleCharacters, history(), drawSelection(), dropCursor(),
    EditorState.allowMultipleSelections.of(true), indentOnInput(), bracketMatching(), closeBrackets(),
    rectangularSelection(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(), search({ top: true }),
    indentUnit.of("  "), EditorState.tabSize.of(2), yaml(), mergedLinesField, typedOver, theme,
    wrapping.of(NARROW.matches ? EditorView.lineWrapping : []),
    tooltips({ position: "fixed" }),
    EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "how", tabindex: "0", autocapitalize: "off", autocorrect: "off", spellcheck: "false" }),
    completion(schema),
    keymap.of([
      { key: "Tab", run: takeWithTab },
      ...closeBracketsKeymap, ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"), ...searchKeymap, ...historyKeymap,
      ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
    ]),
    EditorView.updateListener.of(onChange),
  ];
}

export class Editor {
  #text; // the textarea
  #timer = 0; // runs while the textarea is behind
  #telling = false;
  #wrapping = new Compartment();
  #schema;

  constructor(text, label) {
    this.#text = text;
    const host = this.#host();
    const root = host.attachShadow({ mode: "open" });
    const how = Object.assign(document.createElement("p"), { id: "how", hidden: true });
    how.textContent = "Tab indents. To leave the editor press Escape, then Tab.";
    root.append(how);
    this.#schema = new Schema(text.dataset);
    const hadFocus = document.activeElement === text;
    this.view = new EditorView({
      root, parent: root,
      state: EditorState.create({
        doc: text.value,
        selection: { anchor: Math.min(text.selectionStart, text.value.length), head: Math.min(text.selectionEnd, text.value.length) },
        extensions: extensions(label, this.#schema, this.#wrapping, (update) => this.#changed(update)),
      }),
    });
    this.#hideField();
    if (hadFocus) this.view.focus();
    this.#listen();
  }

  /* The editor's element, in the place of the textarea and with its height. */
  #host() {
    const host = Object.assign(document.createElement("div"), { className: "yaml-host" });
    const height = this.#text.offsetHeight || this.#text.rows * LINE; // none where another part of the page is shown
    host.style.height = `${height}px`;
    this.#text.before(host);
    // the page's shortcuts do not see single keys; Escape closes only an open list
    host.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
    });
    return host;
  }

  /* Hides the textarea, which stays the form's field, so that extensions can still fill it in. */
  #hideField() {
    const text = this.#text;
    text.tabIndex = -1;
    text.setAttribute("aria-hidden", "true");
    text.className = "hidden";
    text.hidden = text.value.length > LARGE;
  }

  #listen() {
    const text = this.#text;
    text.addEventListener("input", () => this.pull());
    text.form.addEventListener("formdata", ({ formData }) => formData.set(text.name, this.view.state.doc.toString()));
    for (const label of text.labels) {
      label.addEventListener("click", (event) => {
        event.preventDefault();
        this.view.focus();
      });
    }
    for (const leaving of ["pagehide", "beforeunload"]) window.addEventListener(leaving, () => this.push());
    window.addEventListener("pageshow", () => this.pull());
    NARROW.addEventListener("change", () => {
      this.view.dispatch({ effects: this.#wrapping.reconfigure(NARROW.matches ? EditorView.lineWrapping : []) });
    });
  }

  #changed(update) {
    if (!update.docChanged || update.transactions.some((each) => each.annotation(fromField))) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.push(), PAUSE);
    if (update.state.doc.length <= LARGE) this.push();
    this.#telling = true;
    this.#text.dispatchEvent(new InputEvent("input", { bubbles: true }));
    this.#telling = false;
  }

  /* Writes the editor's text into the textarea. */
  push() {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#text.hidden = this.view.state.doc.length > LARGE;
    this.#text.value = this.view.state.doc.toString();
  }

  /* Applies the textarea's text to the editor as the smallest change, so that cursor, selection, folds and undo history
     stay. A change of somebody else (`theirs`) does not enter the undo history, and is highlighted for a moment. */
  pull({ theirs = false } = {}) {
    if (this.#telling || this.#timer) return;
    const before = this.view.state.doc.toString();
    const text = this.#text.value;
    if (before === text) return;
    const changes = diff(before, text, DIFF).map(({ fromA, toA, fromB, toB }) => ({ from: fromA, to: toA, insert: text.slice(fromB, toB) }));
    const annotations = [fromField.of(true)];
    if (theirs) annotations.push(Transaction.addToHistory.of(false));
    this.#text.hidden = text.length > LARGE;
    this.view.dispatch({ changes, annotations });
    if (theirs) this.#pointOut(changes);
  }

  #pointOut(changes) {
    const { doc } = this.view.state;
    const set = new Set();
    let shift = 0;
    for (const { from, to, insert } of changes) {
      const end = Math.min(from + shift + insert.length, doc.length);
      for (let at = from + shift; at <= end; at = doc.lineAt(at).to + 1) set.add(doc.lineAt(at).from);
      shift += insert.length - (to - from);
    }
    this.view.dispatch({ effects: mergedLines.of([...set].sort((one, other) => one - other)) });
    setTimeout(() => this.view.dispatch({ effects: mergedLines.of([]) }), SHOWN);
  }

  /* The number of the line with the cursor; 0 without the focus. */
  get line() {
    const { doc, selection } = this.view.state;
    return this.view.hasFocus ? doc.lineAt(selection.main.head).number : 0;
  }

  mark(marks) {
    showMarks(this.view, marks);
  }

  /* Sets the kinds that the text itself defines. */
  learn(defined) {
    this.#schema.learn(defined);
  }

  goTo(line, column) {
    const { doc } = this.view.state;
    const target = doc.line(Math.min(line, doc.lines));
    const anchor = Math.min(target.from + column - 1, target.to);
    this.view.dispatch({ selection: { anchor, head: target.to }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }
}
