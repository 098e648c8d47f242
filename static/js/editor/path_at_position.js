/* Path in the object of a place in the text: field names and list indexes, found by the lines' indentation, so that it
   is known while the text is not valid YAML. Text in braces, block texts and comments has no path. In a text of several
   documents only the one around the place counts. */
import { syntaxTree } from "../../vendor/codemirror/codemirror.min.js";

const LINE = /^( *)((?:- +)*)(?:(-)$|("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s#'"{}[\]&*!|>%@`,-][^#]*?|-[^\s#][^#]*?):(?:\s+(.*))?$)?/;
const BORDER = /^(?:---|\.\.\.)(?=\s|$)/; // between documents
const HEAD = /^(["']?)(apiVersion|kind)\1:\s+(["']?)([^\s"'#]*)\3\s*(?:#.*)?$/;
const FARTHEST = 20_000; // lines that are read on either side
const OPAQUE = new Set(["Comment", "BlockLiteralContent", "QuotedLiteral", "FlowMapping", "FlowSequence"]);
const LONGEST = 2000; // characters of a line that are read

function unquoted(key) {
  if (key.startsWith("'")) return key.slice(1, -1).replaceAll("''", "'");
  if (!key.startsWith('"')) return key;
  try {
    return JSON.parse(key);
  } catch {
    return key.slice(1, -1);
  }
}

/* A line: the columns of its dashes, where its text starts behind them, and its key, if it has one. */
export function readLine(line) {
  const text = line.text.slice(0, LONGEST);
  if (BORDER.test(text)) return { start: 0, columns: [], blank: true, key: null, border: true };
  const [, spaces, dashes, lonely, key, value] = LINE.exec(text);
  const start = spaces.length + dashes.length;
  const columns = [...dashes.matchAll(/-/g)].map(({ index }) => spaces.length + index);
  if (lonely) columns.push(start);
  const content = text.slice(start).trimStart();
  const parsed = { start, columns, blank: !columns.length && (!content || content.startsWith("#")), key: null };
  if (key === undefined) return parsed;
  const end = start + key.length;
  return { ...parsed, key: unquoted(key), keyEnd: end, valueStart: value === undefined ? end + 2 : text.length - value.length };
}

/* Whether the lines at `at` are not fields, as in comments and block texts. */
export function isOpaque(state, at) {
  for (let node = syntaxTree(state).resolveInner(at, -1); node; node = node.parent) {
    if (OPAQUE.has(node.name) && node.parent?.name !== "Key") return true;
  }
  return false;
}

/* Climbs from one place upwards, line by line, and collects the path of its parents. */
class Climb {
  constructor(column) {
    this.path = [];
    this.limit = column;
    this.index = -1; // of the item whose list's name is looked for; -1: a field's parent is
  }

  /* Takes a line's dashes and key from right to left. */
  take({ start, columns, key }) {
    if (key !== null) this.name(key, start);
    for (const column of columns.toReversed()) this.dash(column);
  }

  name(key, column) {
    if (this.index < 0 ? column >= this.limit : column > this.limit) return;
    this.leaveList();
    this.path.unshift(key);
    this.limit = column;
  }

  dash(column) {
    if (this.index >= 0 && column === this.limit) this.index += 1;
    else if (column < this.limit) {
      this.leaveList();
      this.index = 0;
      this.limit = column;
    }
  }

  leaveList() {
    if (this.index >= 0) this.path.unshift(this.index);
    this.index = -1;
  }

  get isDone() {
    return this.limit === 0 && this.index < 0;
  }
}

/* The path of the map or list to which something at `column` of line `number` belongs. */
export function parentPath(doc, number, column) {
  const climb = new Climb(column);
  const own = readLine(doc.line(number));
  climb.take({ ...own, columns: own.columns.filter((each) => each < column), key: null });
  for (let each = number - 1; each > 0 && !climb.isDone; each -= 1) {
    const line = readLine(doc.line(each));
    if (line.border) break;
    if (!line.blank) climb.take(line);
  }
  climb.leaveList();
  return climb.path;
}

/* The names of the fields beside whatever stands at `column` of line `number`, its own left out. */
export function namesBeside(doc, number, column) {
  const names = new Set();
  const own = readLine(doc.line(number));
  if (!own.columns.length) collect(doc, number, column, -1, names);
  collect(doc, number, column, 1, names);
  return names;
}

function collect(doc, number, column, step, names) {
  for (let each = number + step; each > 0 && each <= doc.lines; each += step) {
    const line = readLine(doc.line(each));
    if (line.border) return;
    if (line.blank) continue;
    const first = Math.min(line.start, ...line.columns);
    if (first < column && (step > 0 || line.start < column)) return;
    if (line.start === column && line.key !== null) names.add(line.key);
    if (first < column) return; // the line of the dash with which the item begins
  }
}

/* The `apiVersion` and `kind` of the document around line `number`, as far as it has them. */
export function headAt(doc, number) {
  const head = {};
  for (const step of [-1, 1]) {
    for (let each = step < 0 ? number : number + 1; each > 0 && each <= doc.lines && Math.abs(each - number) < FARTHEST; each += step) {
      const { text } = doc.line(each);
      if (BORDER.test(text)) break;
      const [, , name, , value] = HEAD.exec(text) ?? [];
      if (name) head[name] ??= value;
    }
  }
  return head;
}

/* The `apiVersion` and `kind` of the item of a `kind: List` around line `number`, as far as it has them. */
function itemHeadAt(doc, number) {
  const head = {};
  let [first, limit] = [number, Infinity];
  for (let each = number; each > 0 && number - each < FARTHEST; each -= 1) {
    const { columns, start, border } = readLine(doc.line(each));
    if (border) break;
    if (!columns.length || columns[0] >= limit) continue;
    [first, limit] = [each, columns[0]];
    if (parentPath(doc, each, start).length === 2) break;
  }
  const column = readLine(doc.line(first)).start;
  for (let each = first; each <= doc.lines && each - first < FARTHEST; each += 1) {
    const line = readLine(doc.line(each));
    if (line.border || (each > first && !line.blank && Math.min(line.start, ...line.columns) < column)) break;
    const [, , name, , value] = line.start === column ? HEAD.exec(doc.line(each).text.slice(column)) ?? [] : [];
    if (name) head[name] ??= value;
  }
  return head;
}

/* A place in an item of a `kind: List` as one in the item's own object. */
function inItem(place, doc, number) {
  const isInItem = place.path[0] === "items" && typeof place.path[1] === "number";
  if (!isInItem || headAt(doc, number).kind !== "List") return place;
  return { ...place, path: place.path.slice(2), about: () => itemHeadAt(doc, number) };
}

/* The field's name or value at `at`, with the path of its parent in its object; null where lines are not fields. */
export function placeAt(state, at) {
  const line = state.doc.lineAt(at);
  const read = readLine(line);
  if (read.border || isOpaque(state, at)) return null;
  const column = at - line.from;
  const number = line.number;
  const about = () => headAt(state.doc, number);
  if (read.key !== null && column > read.keyEnd) {
    const path = [...parentPath(state.doc, number, read.start), read.key];
    const from = line.from + Math.min(read.valueStart, line.length);
    return inItem({ part: "value", path, about, from, column: read.start }, state.doc, number);
  }
  const start = read.blank ? column : read.start;
  if (column < start) return null;
  return inItem({
    part: "name", path: parentPath(state.doc, number, start), key: read.key, column: start, about,
    from: line.from + start, to: line.from + (read.keyEnd ?? line.length), beside: () => namesBeside(state.doc, number, start),
  }, state.doc, number);
}
