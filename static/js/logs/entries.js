/* Entries of a page of logs in the order of their times: lines, marks between them, and gaps that can be loaded.

   An entry is {n, time, source, severity, content, cut} for a line, {…, mark, words} for a mark, and {gap: [first, end],
   time} for lines that the page did not get. `n` is the number under which the server keeps it; null: it does not.
   `content` is a text or a list of [classes, text]. Times are RFC 3339 in UTC with nine decimals: texts in order. */

export const MOST = 50000; // entries that a page keeps; of more, the oldest go

export function readEntry(raw) {
  const [n, time, source, severity, content, more] = raw;
  if (severity === "!") return { n, time, source, severity: 0, mark: content, words: more };
  return { n, time, source, severity, content, cut: more ?? 0 };
}

/* The text of a line without its colours. */
export const textOf = ({ content }) => (typeof content === "string" ? content : content.map(([, text]) => text).join(""));

export class Entries {
  constructor() {
    this.clear();
  }

  clear() {
    this.all = [];
    this.next = 0; // number of the line that comes next
    this.first = 0; // number of the oldest line that the server keeps
    this.lowest = 0; // number of the oldest line that came
    this.history = ""; // "reading", or "all": the server keeps all lines that there are
    this.dropped = false; // older ones than those here have been here
  }

  /* Takes what a frame brings. Returns how many lines are new, whether they were got or not. */
  add({ entries, next, first, history, whole }) {
    if (whole) this.clear();
    this.history = history;
    const known = this.next;
    this.first = first ?? this.first;
    const got = entries.map(readEntry);
    if (whole) this.lowest = got[0]?.n ?? next;
    if (!whole && known && got.length && got[0].n > known) this.#insert({ gap: [known, got[0].n], time: got[0].time });
    else if (!whole && known && !got.length && next > known) this.#insert({ gap: [known, next], time: this.all.at(-1)?.time ?? "" });
    for (const entry of got) if (whole || entry.n >= known) this.#insert(entry);
    this.next = Math.max(next ?? 0, this.next);
    const surplus = this.all.length - MOST;
    if (surplus > 0) {
      this.all.splice(0, surplus);
      this.dropped = true;
    }
    return whole ? got.length : Math.max(0, this.next - known);
  }

  /* Puts loaded lines in the place of a gap, or of a part of it. */
  fill(gap, entries) {
    const place = this.all.indexOf(gap);
    if (place < 0) return;
    this.all.splice(place, 1);
    const got = entries.map(readEntry);
    const [first] = gap.gap;
    if (got.length && got[0].n > first) this.#insert({ gap: [first, got[0].n], time: got[0].time });
    for (const entry of got) this.#insert(entry);
  }

  /* Puts older lines, which the server does not keep, before all others. Returns how many. */
  prepend(entries) {
    const got = entries.map(readEntry);
    this.all.unshift(...got);
    return got.length;
  }

  /* Whether no line is older than those that are here. */
  get isWhole() {
    return this.history === "all" && !this.dropped && this.lowest <= this.first;
  }

  get oldest() {
    return this.all.find((entry) => !entry.gap && !entry.mark)?.time ?? "";
  }

  /* After all entries of the same or an earlier time: lines of several containers come a little out of order. */
  #insert(entry) {
    const { all } = this;
    if (!all.length || all.at(-1).time <= entry.time) {
      all.push(entry);
      return;
    }
    let low = 0;
    let high = all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle].time <= entry.time) low = middle + 1;
      else high = middle;
    }
    all.splice(low, 0, entry);
  }
}
