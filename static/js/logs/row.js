/* A row of a page of logs: time, container, the line with its colours. A line of JSON is shown as its message and its
   other fields, and opens to all of them. Nothing here is parsed as HTML. */

import { visible } from "../page/invisible_characters.js";
import { textOf } from "./entries.js";

const SEVERITIES = ["none", "trace", "debug", "info", "warn", "error", "fatal"];
const MESSAGES = ["msg", "message", "log", "text", "event"];
const LEFT_OUT = new Set(["level", "severity", "lvl", "time", "timestamp", "ts", "@timestamp"]); // shown by the row itself
const two = (number) => String(number).padStart(2, "0");
const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

export function element(name, classes = "", text = "") {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}

/* The time of a line: of day where it is of today. */
export function timeWords(time, zone) {
  const date = new Date(time);
  if (zone === "none" || Number.isNaN(date.getTime())) return "";
  const fraction = time.slice(19, 23);
  if (zone === "utc") {
    const today = new Date().toISOString().slice(0, 10) === time.slice(0, 10);
    return `${today ? "" : `${time.slice(5, 10)} `}${time.slice(11, 19)}${fraction}`;
  }
  const today = new Date().toDateString() === date.toDateString();
  const day = today ? "" : `${two(date.getMonth() + 1)}-${two(date.getDate())} `;
  return `${day}${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}${fraction}`;
}

/* The fields of a line of JSON; null for other lines. Read once. */
export function fieldsOf(entry) {
  if (entry.fields !== undefined) return entry.fields;
  entry.fields = null;
  if (entry.mark || entry.gap || entry.cut) return null;
  const text = textOf(entry).trim();
  if (!text.startsWith("{") || !text.endsWith("}")) return null;
  try {
    entry.fields = JSON.parse(text);
  } catch {
    return null; // a line that only looks like JSON
  }
  return entry.fields;
}

const isFound = (classes) => classes.split(" ").includes("found");

/* The texts of a line that the filter finds. */
const foundIn = ({ content }) => (typeof content === "string" ? [] : content.filter(([classes]) => isFound(classes)).map(([, text]) => text));

/* A text whose parts that are among `words` are marked. */
function marked(text, words) {
  const made = document.createDocumentFragment();
  let at = 0;
  for (;;) {
    let next = -1;
    let hit = "";
    for (const word of words) {
      const place = text.indexOf(word, at);
      if (place >= 0 && (next < 0 || place < next || (place === next && word.length > hit.length))) [next, hit] = [place, word];
    }
    if (next < 0) break;
    made.append(text.slice(at, next), element("mark", "found", hit));
    at = next + hit.length;
  }
  made.append(text.slice(at));
  return made;
}

/* The value of a field of JSON, in one line where it is to be. The filter may have found the field, name and value, or a
   part of the value. */
function markedValue(name, value, words, oneLine = false) {
  const begin = JSON.stringify(name.split(".").at(-1));
  const isField = words.some((word) => word.startsWith(begin) && /^\s*:/.test(word.slice(begin.length)));
  const text = oneLine ? inOneLine(written(value)) : written(value);
  return isField ? element("mark", "found", text) : marked(text, words);
}

const inOneLine = (text) => text.replaceAll("\n", "↵");
const written = (value) => visible(typeof value === "string" ? value : JSON.stringify(value));

function fieldAt(fields, path) {
  if (path in fields) return fields[path];
  return path.split(".").reduce((value, name) => (value && typeof value === "object" ? value[name] : undefined), fields);
}

function content(entry, { columns, wrap }) {
  const box = element("span", "log-text");
  const value = (name, words) => markedValue(name, entry.fields[name], words, !wrap);
  const fields = fieldsOf(entry);
  if (!fields) {
    if (typeof entry.content === "string") box.textContent = entry.content;
    else for (const [classes, text] of entry.content) box.append(classes ? element(isFound(classes) ? "mark" : "span", classes, text) : text);
  } else {
    const words = foundIn(entry);
    const message = MESSAGES.find((name) => typeof fields[name] === "string");
    if (message) {
      const text = element("b", "log-message");
      text.append(value(message, words));
      box.append(text);
    }
    for (const name of Object.keys(fields)) {
      if (name === message || LEFT_OUT.has(name) || columns.includes(name)) continue;
      box.append(" ", element("span", "log-field", `${visible(name)}=`), value(name, words));
    }
  }
  if (entry.cut) box.append(" ", cutButton(entry));
  return box;
}

function cutButton(entry) {
  return button("log-cut", `${count(entry.cut)} bytes more`, "logWhole");
}

function button(classes, words, data) {
  const made = element("button", classes, words);
  made.type = "button";
  made.dataset[data] = "";
  return made;
}

function opened(entry) {
  const list = element("dl", "log-fields pairs");
  for (const [name, value] of Object.entries(entry.fields)) {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : value;
    list.append(element("dt", "", visible(name)), element("dd", "", written(text)));
  }
  return list;
}

/* The row of an entry. `options` are {zone, wrap, columns, names, link}: names has [namespace, pod, container, label, colour]
   by source. */
export function rowOf(entry, options) {
  if (entry.gap) return gapRow(entry);
  const [namespace = "", pod = "", container = "", label = "", colour = 0] = options.names[entry.source] ?? [];
  const row = element("div", entry.mark ? `log-mark m-${entry.mark}` : `log-line s-${SEVERITIES[entry.severity]}`);
  Object.assign(row.dataset, { time: entry.time, namespace, pod, container });
  if (entry.n !== null) row.dataset.n = entry.n;
  const time = element("time", "", timeWords(entry.time, options.zone));
  time.title = entry.time;
  if (entry.mark) row.dataset.mark = entry.mark;
  else row.dataset.severity = entry.severity;
  if (time.textContent) row.append(time);
  if (options.names.length > 1 && container) {
    const source = element("span", `log-source c${colour}`, label);
    source.title = `${namespace}/${pod}/${container}`;
    row.append(source);
  }
  if (entry.mark) {
    row.append(element("span", "log-text", options.wrap ? visible(entry.words) : inOneLine(visible(entry.words))));
    if (entry.mark === "older") row.append(" ", button("log-load", "load", "logOlder"));
    if (entry.mark === "unloaded") row.append(" ", button("log-load", "load", "logLater"));
    return row;
  }
  const fields = options.columns.length ? fieldsOf(entry) : null;
  for (const name of options.columns) {
    const value = fields ? fieldAt(fields, name) : undefined;
    const cell = element("span", "log-column");
    if (value !== undefined) cell.append(markedValue(name, value, foundIn(entry)));
    row.append(cell);
  }
  row.append(content(entry, options));
  if (entry.open && fieldsOf(entry)) row.append(opened(entry));
  if (fieldsOf(entry)) row.dataset.json = "";
  const link = element("a", "log-link", "link");
  link.href = options.link(entry);
  link.title = "Link to this line";
  row.append(link);
  return row;
}

function gapRow(entry) {
  const [first, end] = entry.gap;
  const row = element("div", "log-mark m-skipped");
  Object.assign(row.dataset, { mark: "skipped", time: entry.time, lines: end - first });
  row.append(element("span", "log-text", `${count(end - first)} line${end - first === 1 ? "" : "s"} not shown`));
  if (!entry.lost) {
    row.append(" ", button("log-load", "load", "logLoad"));
  } else row.firstChild.textContent += ": not kept any more";
  return row;
}
