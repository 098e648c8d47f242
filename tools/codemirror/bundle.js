/* What static/js/editor uses of CodeMirror; esbuild leaves out the rest. `make vendor` writes the bundle. */
export { EditorView } from "codemirror";
export { Annotation, Compartment, EditorSelection, EditorState, Prec, StateEffect, StateField, Transaction } from "@codemirror/state";
export {
  Decoration, drawSelection, dropCursor, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars,
  hoverTooltip, keymap, lineNumbers, rectangularSelection, tooltips,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  bracketMatching, codeFolding, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting,
  syntaxTree,
} from "@codemirror/language";
export { yaml } from "@codemirror/lang-yaml";
export { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
export {
  acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, completionStatus,
  moveCompletionSelection, selectedCompletion, startCompletion,
} from "@codemirror/autocomplete";
export { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
export { diff, MergeView, unifiedMergeView } from "@codemirror/merge";
export { tags } from "@lezer/highlight";
