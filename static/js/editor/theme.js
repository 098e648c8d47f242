/* Theme of the editor: it uses the page's design tokens, which reach into the shadow root, so that it follows the
   page's theme. The colours have contrast AA on --surface in both themes (tests/templates/test_templates.py). */
import { EditorView, HighlightStyle, syntaxHighlighting, tags } from "../../vendor/codemirror/codemirror.min.js";

const look = EditorView.theme({
  "&": { height: "100%", background: "var(--surface)", color: "var(--text)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" }, // the host around it has the outline
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { background: "var(--accent-soft)" },
  ".cm-activeLine, .cm-activeLineGutter": { background: "color-mix(in srgb, var(--hover) 70%, transparent)" },
  ".cm-gutters": { background: "var(--surface)", color: "var(--faint)", border: "0", borderRight: "1px solid var(--line)" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer" },
  ".cm-foldPlaceholder": { background: "var(--sunken)", border: "1px solid var(--line)", color: "var(--soft)", padding: "0 6px" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { background: "var(--accent-soft)" },
  ".cm-selectionMatch": { background: "var(--flash)" },
  ".cm-searchMatch": { background: "var(--flash)", color: "var(--text)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--warn)" },
  ".cm-taken": { background: "var(--flash)" },

  ".cm-panels": { background: "var(--raised)", color: "var(--text)", fontFamily: "var(--sans)", fontSize: "13px" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 32px 6px 8px" },
  ".cm-textfield": { background: "var(--surface)", color: "var(--text)", border: "1px solid var(--line-strong)", borderRadius: "var(--radius-small)", minHeight: "28px", fontSize: "13px" },
  ".cm-button": { background: "var(--surface)", backgroundImage: "none", color: "var(--text)", border: "1px solid var(--line-strong)", borderRadius: "var(--radius-small)", minHeight: "28px", fontSize: "13px" },
  ".cm-button:active": { backgroundImage: "none", background: "var(--hover)" },
  ".cm-panel.cm-search [name=close]": { color: "var(--soft)", minWidth: "24px", minHeight: "24px" },
  ".cm-panel.cm-search label": { fontSize: "13px", minHeight: "24px", display: "inline-flex", alignItems: "center" },

  ".cm-tooltip": { background: "var(--raised)", color: "var(--text)", border: "1px solid var(--line-strong)", borderRadius: "var(--radius-small)", boxShadow: "var(--shadow)", fontFamily: "var(--sans)", fontSize: "13px", maxWidth: "min(460px, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete": { maxWidth: "none" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--sans)", maxHeight: "16em", minWidth: "220px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "4px 10px", lineHeight: "1.4", display: "flex", gap: "10px", alignItems: "baseline" },
  ".cm-tooltip.cm-tooltip-autocomplete ul li[aria-selected]": { background: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionLabel": { fontFamily: "var(--mono)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { marginLeft: "auto", fontStyle: "normal", color: "var(--faint)", fontSize: "12.5px" },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 10px", maxWidth: "min(360px, 80vw)", width: "max-content" },

  ".help": { padding: "8px 10px", display: "grid", gap: "4px", maxHeight: "40vh", overflow: "auto" },
  ".cm-completionInfo .help": { padding: "0" },
  ".help-name": { fontFamily: "var(--mono)", fontWeight: "600", overflowWrap: "anywhere" },
  ".help-words": { whiteSpace: "pre-line", overflowWrap: "anywhere" },
  ".help-facts": { color: "var(--faint)", fontSize: "12.5px", overflowWrap: "anywhere" },

  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad)", textDecorationSkipInk: "none", textUnderlineOffset: "3px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn)", textDecorationSkipInk: "none", textUnderlineOffset: "3px" },
  ".cm-lintRange-active": { background: "var(--bad-soft)" },
  ".cm-diagnostic": { padding: "6px 10px", border: "0", whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 2px", display: "grid", placeItems: "center" },
  ".cm-lint-marker": { width: "10px", height: "10px", content: "none", cursor: "default" },
  ".cm-lint-marker-error": { background: "var(--bad)", borderRadius: "50%" },
  ".cm-lint-marker-warning": { background: "var(--warn)", clipPath: "polygon(50% 0, 100% 100%, 0 100%)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { background: "var(--bad-soft)", color: "var(--text)" },
  ".cm-panel.cm-panel-lint button[name=close]": { color: "var(--soft)", minWidth: "24px", minHeight: "24px" },

  ".cm-mergeView, .cm-mergeViewEditor": { background: "var(--surface)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { background: "var(--bad-soft)" },
  "&.cm-merge-b .cm-changedLine, .cm-insertedLine, .cm-inlineChangedLine": { background: "var(--ok-soft)" },
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, .cm-deletedText": { background: "color-mix(in srgb, var(--bad) 8%, transparent)" },
  "&.cm-merge-b .cm-changedText, .cm-changedText": { background: "color-mix(in srgb, var(--ok) 7%, transparent)" },
  "&.cm-merge-a .cm-changedLineGutter, .cm-deletedLineGutter": { background: "var(--bad)" },
  "&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter": { background: "var(--ok)" },
  ".cm-by-server::after": { content: "attr(data-by)", display: "inline-block", marginLeft: "1ch", padding: "0 6px", borderRadius: "4px", background: "var(--sunken)", color: "var(--soft)", fontSize: "12.5px", lineHeight: "18px" },
  ".cm-collapsedLines": { background: "var(--sunken)", color: "var(--soft)", fontFamily: "var(--sans)", fontSize: "12.5px", padding: "4px 12px", backgroundImage: "none" },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: "'⋯'" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ok)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.typeName, tags.labelName, tags.attributeValue, tags.meta], color: "var(--busy)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--soft)" },
]);

export const theme = [look, syntaxHighlighting(colours)];
