/* List of lines that draws only those in its window, whatever their number. Rows have one height, but for those that
   wrap or are open: these are measured when they are drawn.

   It follows the newest line until somebody scrolls up; nothing else ends that. */

import { rowOf } from "./row.js";

const ROW = 20; // pixels of a row that does not wrap, as in logs.css
const MARGIN = 15; // rows drawn above and below the window
const NEAR = 6; // pixels from the end that count as the end
const SELECTED = 2000; // most rows outside the window that stay because a selection begins there

export class LogList {
  constructor(box, entries, options) {
    Object.assign(this, { box, entries, options, following: true, drawn: new Map(), offsets: null, marked: "" });
    this.head = document.createElement("div");
    this.head.className = "log-head";
    this.rows = document.createElement("div");
    this.rows.className = "log-rows";
    this.space = document.createElement("div");
    this.space.className = "log-space";
    this.space.append(this.rows);
    box.replaceChildren(this.head, this.space);
    this.lastTop = 0;
    this.onFollow = () => {};
    box.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.relayout()).observe(box);
  }

  get measured() {
    return this.options.wrap || this.entries.all.some((entry) => entry.open);
  }

  /* The place of the first entry in sight; infinite where the end is. */
  get place() {
    const place = this.entries.all.indexOf(this.shownFirst);
    return this.following || place < 0 ? Infinity : place;
  }

  /* Draws again after entries came or went: `anchor` is the entry that should keep its place. */
  update(anchor = this.anchor()) {
    this.offsets = null;
    this.#draw();
    if (this.following) this.toEnd();
    else if (anchor) this.#keep(anchor);
  }

  /* Draws all rows anew: their looks have changed. */
  redraw(anchor = this.anchor()) {
    this.forget();
    this.update(anchor);
  }

  forget() {
    for (const row of this.drawn.values()) row.remove();
    this.drawn.clear();
  }

  relayout() {
    const anchor = this.anchor(); // by the heights of before
    for (const entry of this.entries.all) entry.height = undefined;
    this.redraw(anchor);
  }

  toEnd() {
    this.#scrollTo(this.box.scrollHeight);
    this.#draw();
    if (this.measured) this.#scrollTo(this.box.scrollHeight);
  }

  follow(on) {
    if (this.following === on) return;
    this.following = on;
    if (on) this.toEnd();
    this.onFollow(on);
  }

  /* Shows an entry in the middle, and marks it. */
  reveal(entry) {
    this.marked = entry;
    this.follow(false);
    this.forget();
    this.offsets = null;
    this.#draw(); // its space has the height of all entries from now on
    const place = this.entries.all.indexOf(entry);
    for (let times = 0; times < 2; times += 1) { // what is drawn is measured, and may move it
      this.#scrollTo(Math.max(0, this.#top(place) - this.box.clientHeight / 2));
      this.#draw();
    }
  }

  /* Marks the line after the marked one, or before it, and brings it in sight; where
     the marked one is not in sight, the first or the last that is. */
  step(by) {
    this.#layout();
    const { all } = this.entries;
    const top = this.box.scrollTop - this.head.offsetHeight;
    const [first, last] = [this.offsets.find(Math.max(0, top)), this.offsets.find(Math.max(0, top + this.box.clientHeight - 1))];
    const from = all.indexOf(this.marked);
    const place = from >= first && from <= last ? from + by : by > 0 ? first : last;
    const entry = all[Math.max(0, Math.min(all.length - 1, place))];
    if (!entry) return;
    this.follow(false);
    this.drawn.get(this.marked)?.removeAttribute("data-ui-marked");
    this.marked = entry;
    this.drawn.get(entry)?.setAttribute("data-ui-marked", "");
    const begin = this.#top(all.indexOf(entry));
    const end = begin + (entry.height ?? ROW);
    if (begin < this.box.scrollTop) this.#scrollTo(begin);
    else if (end > this.box.scrollTop + this.box.clientHeight) this.#scrollTo(Math.min(begin, end - this.box.clientHeight));
    this.#draw();
  }

  /* An anchor for `update`: this entry, where it is. */
  anchorAt(entry) {
    return { entry, above: this.box.scrollTop - this.#top(this.entries.all.indexOf(entry)) };
  }

  #scrollTo(top) {
    this.box.scrollTop = top;
    this.lastTop = this.box.scrollTop;
  }

  #scrolled() {
    const { scrollTop, clientHeight, scrollHeight } = this.box;
    const atEnd = scrollTop + clientHeight >= scrollHeight - NEAR;
    if (scrollTop < this.lastTop - NEAR && !atEnd) this.follow(false);
    else if (atEnd && !this.following) this.follow(true);
    this.lastTop = scrollTop;
    this.#draw();
  }

  #layout() {
    if (this.offsets) return;
    const { all } = this.entries;
    if (!this.measured) {
      this.offsets = { length: all.length, at: (place) => place * ROW, find: (top) => Math.floor(top / ROW) };
      return;
    }
    const tops = new Float64Array(all.length + 1);
    for (let place = 0; place < all.length; place += 1) tops[place + 1] = tops[place] + (all[place].height ?? ROW);
    const find = (top) => {
      let low = 0;
      let high = all.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (tops[middle + 1] <= top) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    this.offsets = { length: all.length, at: (place) => tops[place], find };
  }

  #top(place) {
    this.#layout();
    return this.head.offsetHeight + this.offsets.at(place);
  }

  /* What keeps its place when entries come or go: the first entry in sight; null while the end is followed. */
  anchor() {
    if (this.following) return null;
    this.#layout();
    const place = Math.max(0, this.offsets.find(this.box.scrollTop - this.head.offsetHeight));
    const entry = this.entries.all[place] ?? this.shownFirst;
    return entry ? { entry, above: this.box.scrollTop - this.#top(place) } : null;
  }

  #keep({ entry, above }) {
    const place = this.entries.all.indexOf(entry);
    if (place < 0) return;
    if (this.measured) {
      this.#scrollTo(this.#top(place));
      this.#draw(); // measures it, and the rows around it
    }
    this.#scrollTo(this.#top(place) + above);
    this.#draw();
  }

  /* The places of the entries where a selection begins and ends. */
  #selected() {
    const { anchorNode, focusNode, isCollapsed } = getSelection();
    if (isCollapsed || !this.rows.contains(anchorNode)) return [];
    const chosen = [...this.drawn].filter(([, row]) => row.contains(anchorNode) || row.contains(focusNode));
    return chosen.map(([entry]) => this.entries.all.indexOf(entry)).filter((place) => place >= 0);
  }

  #draw() {
    this.#layout();
    const { all } = this.entries;
    const top = this.box.scrollTop - this.head.offsetHeight;
    let first = Math.max(0, Math.min(all.length, this.offsets.find(Math.max(0, top))) - MARGIN);
    let end = Math.min(all.length, this.offsets.find(Math.max(0, top + this.box.clientHeight)) + 1 + MARGIN);
    for (const place of this.#selected()) {
      if (place < first && place >= first - SELECTED) first = place;
      if (place >= end && place < end + SELECTED) end = place + 1;
    }
    this.space.style.height = `${this.offsets.at(all.length)}px`;
    this.rows.style.transform = `translateY(${this.offsets.at(first)}px)`;
    const wanted = all.slice(first, end);
    const keep = new Set(wanted);
    for (const [entry, row] of this.drawn) {
      if (!keep.has(entry)) {
        row.remove();
        this.drawn.delete(entry);
      }
    }
    let before = this.rows.firstChild;
    for (const entry of wanted) {
      let row = this.drawn.get(entry);
      if (!row) {
        row = rowOf(entry, this.options);
        row.toggleAttribute("data-ui-marked", entry === this.marked);
        this.drawn.set(entry, row);
      }
      if (row === before) before = before.nextSibling;
      else this.rows.insertBefore(row, before);
    }
    this.shownFirst = wanted[0];
    if (this.measured) this.#measure(wanted);
  }

  #measure(wanted) {
    let changed = false;
    for (const entry of wanted) {
      const height = this.drawn.get(entry).getBoundingClientRect().height || ROW;
      if (Math.abs((entry.height ?? ROW) - height) < 0.5) continue;
      entry.height = height;
      changed = true;
    }
    if (!changed) return;
    this.offsets = null;
    this.#layout();
    this.space.style.height = `${this.offsets.at(this.entries.all.length)}px`;
  }
}
