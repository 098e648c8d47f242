/* Diagnostics of the server at their place in the text: a wavy line, a mark in the gutter, a message on hover and in
   the list that Ctrl Shift M opens. They move along with the text while somebody types. */
import { setDiagnostics } from "../../vendor/codemirror/codemirror.min.js";
import { visible } from "../page/invisible_characters.js";

/* From line and column, counted from 1, to the end of the word there, or of the line. */
function range(doc, { line, column, end }) {
  const docLine = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(docLine.from + Math.max(column, 1) - 1, docLine.to);
  const to = end ? Math.min(docLine.from + end - 1, docLine.to) : docLine.to;
  return from < to ? [from, to] : [Math.max(docLine.from, from - 1), docLine.to];
}

export function showMarks(view, marks) {
  const { doc } = view.state;
  const diagnostics = marks.filter(({ line }) => line).map((mark) => {
    const [from, to] = range(doc, mark);
    return { from, to, severity: mark.severity ?? "error", message: visible(mark.words) };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}
