/* Entries of a page of logs in the order of their times: lines, marks between them, and gaps that can be loaded.

   Logs begin with their newest lines, so that the oldest lines of a quiet one may be older than those of a busy one. Of
   before `since` lines may be missing. Where there are lines of before, the mark "older" stands between, and says so.
   Where lines in the middle were never loaded, or went to make room, the mark "unloaded" stands in their place.

   An entry is {n, time, source, severity, content, cut} for a line, {…, mark, words} for a mark, and {gap: [first, end],
   time} for lines that the page did not get. The mark "unloaded" has `from` and `until`, the times of its lines. `n` is the number under which the server keeps it; null: it does not.
   `content` is a text or a list of [classes, text]. Times are RFC 3339 in UTC with nine decimals: texts in order. */

export const MOST = 50000; // entries that a page keeps; of more, those far from what is in sight go
const KEY_LENGTH = 1000; // characters of a line that tell it from another of its time
const SEAM = "Earlier lines may be missing above";
const UNLOADED = "Later lines are not loaded here";
const LOST_LINK = "The line of this link is not here: the log does not have it any more, or the filter leaves it out.";

const byTime = (one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0);

export function readEntry(raw) {
  const [n, time, source, severity, content, more] = raw;
  if (severity === "!") return { n, time, source, severity: 0, mark: content, words: more };
  return { n, time, source, severity, content, cut: more ?? 0 };
}

const unloaded = (from, until) => ({ n: null, time: from, source: -1, severity: 0, mark: "unloaded", words: UNLOADED, from, until });

/* The text of a line without its colours. */
export const textOf = ({ content }) => (typeof content === "string" ? content : content.map(([, text]) => text).join(""));

/* Where lines begin that are in the order of their numbers: a mark before the first line, as of an Event, may be later. */
function beginOf(entries) {
  const end = entries.findIndex(({ mark }) => !mark) + 1 || 1;
  return entries.slice(0, end).map(({ time }) => time).sort()[0] ?? "";
}

export class Entries {
  constructor() {
    this.most = MOST;
    this.clear();
  }

  clear() {
    this.all = [];
    this.next = 0; // number of the line that comes next
    this.first = 0; // number of the oldest line that the server keeps
    this.lowest = 0; // number of the oldest line that came
    this.history = ""; // "reading", or "all": the server keeps all lines that there are
    this.dropped = false; // older ones than those here have been here
    this.since = "";
    this.given = ""; // `since` of the last frame with all lines of the server's window
    this.covered = ""; // the same, where lines of before are here or a mark "unloaded" stands for them
    this.keptUntil = ""; // time of the newest entry that stayed when all lines came anew
    this.seam = null; // the mark "older"
  }

  /* Takes what a frame brings. Returns how many lines are new, whether they were got or not. */
  add({ entries, next, first, history, since, whole }) {
    const got = entries.map(readEntry);
    if (whole && next === this.next && first === this.first && since === this.given && this.#hasAtEnd(got)) {
      this.history = history; // a connection begins with the lines that the page came with
      return 0;
    }
    if (whole) {
      const kept = this.#unknown(this.#before(since, got), got);
      const oldest = kept.length && this.since < since ? this.since : since;
      this.clear();
      this.given = since;
      this.all = kept;
      this.keptUntil = kept.at(-1)?.time ?? "";
      Object.assign(this, { since: oldest, covered: since });
    }
    this.history = history;
    const known = this.next;
    this.first = first ?? this.first;
    if (whole) this.lowest = Math.min(next, ...got.map(({ n }) => n));
    if (since > this.since && since > this.covered) this.since = since;
    if (!whole && got.length && got[0].n > known) this.#insert({ gap: [known, got[0].n], time: got[0].time });
    else if (!whole && !got.length && next > known) this.#insert({ gap: [known, next], time: this.all.at(-1)?.time ?? "" });
    const late = !whole && got.some(({ time }) => time <= this.keptUntil);
    const fresh = late ? this.#unknown(got, this.all.filter(({ n }) => n === null)) : got;
    for (const entry of fresh) if (whole || entry.n >= known) this.#insert(entry);
    this.next = Math.max(next ?? 0, this.next);
    this.#placeSeam();
    return whole ? got.length : Math.max(0, this.next - known);
  }

  #hasAtEnd(got) {
    const lines = this.all.filter(({ n }) => n !== null).slice(-got.length);
    return got.length > 0 && got.every(({ n, time }, place) => lines[place]?.n === n && lines[place].time === time);
  }

  /* What stays of before the moment since when all lines come anew, without the numbers of before. A mark stands for
     lines that the page never had. */
  #before(since, got) {
    const { all } = this;
    const markOf = ({ time, words }) => `${time} ${words}`;
    const marks = new Set(got.filter(({ mark }) => mark).map(markOf));
    const begin = beginOf(got);
    const joint = since > begin ? since : begin;
    const end = all.findIndex(({ time }) => time >= joint);
    const stays = (entry) => entry !== this.seam && !(entry.mark && marks.has(markOf(entry)));
    const kept = all.slice(0, end < 0 ? all.length : end).filter(stays);
    const until = (place) => kept[place + 1]?.time ?? joint;
    const anew = kept.map((entry, place) => (entry.gap ? unloaded(entry.time, until(place)) : Object.assign(entry, { n: null })));
    if (end < 0 && kept.length) anew.push(unloaded(kept.at(-1).time, joint));
    return anew;
  }

  /* Gives lines the new numbers of their containers; those of containers that have none go. */
  renumber(numbers) {
    for (const entry of this.all) if (entry.source >= 0) entry.source = numbers[entry.source] ?? -1;
    this.all = this.all.filter(({ source, mark, gap }) => source >= 0 || mark || gap);
  }

  /* Puts loaded lines in the place of a gap, or of a part of it. */
  fill(gap, entries) {
    const place = this.all.indexOf(gap);
    if (place < 0) return;
    this.all.splice(place, 1);
    const got = entries.map(readEntry);
    const [first] = gap.gap;
    if (got.length && got[0].n > first) this.#insert({ gap: [first, got[0].n], time: got[0].time });
    for (const entry of this.#unknown(got, this.all.filter(({ n }) => n === null))) this.#insert(entry);
  }

  /* Puts the newest lines of before `oldest`, as the kubelet has them, in their place; `begins` says that no others
     are older, `problem` why some may be missing. Returns how many came. */
  load(entries, { begins, problem }) {
    const got = entries.map(readEntry);
    const failed = { n: null, time: this.oldest, source: -1, severity: 0, mark: "gap", words: problem };
    this.all = [...this.#unknown(got, this.all), ...(problem && got.length ? [failed] : []), ...this.all].sort(byTime);
    if (begins || got.length) this.since = begins ? "" : got[0].time;
    this.#placeSeam();
    return got.length;
  }

  /* Puts lines around a moment in their place: all from `begin` to `end`, and none later where `is_end`. A mark stands
     where those of before follow later. Returns the line of that time, or a mark that it is not there. */
  jump(time, entries, { begin, end, is_end: isEnd }) {
    const { oldest } = this;
    const got = entries.map(readEntry);
    this.all = [...this.#unknown(got, this.all), ...this.all].sort(byTime);
    if (!isEnd && (!oldest || end < oldest)) this.#insert(unloaded(end, oldest));
    if (!oldest || begin < oldest) this.since = begin;
    this.#placeSeam();
    const isIt = (entry) => entry.time === time && !entry.mark && !entry.gap;
    if (!this.all.some(isIt)) this.#insert({ n: null, time, source: -1, severity: 0, mark: "gap", words: LOST_LINK });
    return this.all.find((entry) => isIt(entry) || entry.words === LOST_LINK);
  }

  /* Puts the first lines of those that a mark "unloaded" stands for in their place; none are left where `is_end`. */
  loadLater(mark, entries, { end, is_end: isEnd }) {
    const got = entries.map(readEntry);
    const others = this.all.filter((entry) => entry !== mark);
    this.all = [...others, ...this.#unknown(got, others)].sort(byTime);
    if (!isEnd) this.#insert(unloaded(end || mark.from, mark.until));
    this.#placeSeam();
  }

  /* Lets lines go, where there are too many: of those above and below the place in sight, on the side where there are
     more, the ones that are farthest from it and the newest. Marks stay as long as there are lines. */
  trim(place = Infinity) {
    const { all, most } = this;
    const surplus = all.length - most;
    if (surplus <= 0) return;
    const margin = Math.floor(most / 10);
    const spare = surplus + Math.floor(most / 20); // so that not every frame has to
    const above = Math.max(0, Math.min(place, all.length) - margin);
    const below = Math.max(0, all.length - margin - (place + margin));
    if (above >= below) this.#drop(0, Math.min(above, spare));
    else this.#drop(all.length - margin - Math.min(below, spare), all.length - margin);
    this.#placeSeam();
  }

  #drop(start, end) {
    const { all } = this;
    const out = all.slice(start, end);
    const isLine = (entry) => !entry.mark || entry.mark === "unloaded";
    const gone = out.filter(isLine);
    const marks = gone.length ? out.filter((entry) => !isLine(entry) && entry !== this.seam) : [];
    if (out.includes(this.seam)) this.seam = null;
    if (!start || !gone.length) {
      all.splice(start, end - start, ...marks);
      this.dropped = true;
      const first = this.#firstLine?.time ?? "";
      if (first > this.since) this.since = first;
      return;
    }
    let from = gone[0].time;
    let { until = gone.at(-1).time } = gone.at(-1);
    let [first, next] = [start, end];
    if (all[end]?.mark === "unloaded") {
      ({ until } = all[end]);
      next += 1;
    }
    if (all[start - 1].mark === "unloaded") {
      ({ from } = all[start - 1]);
      first -= 1;
    }
    all.splice(first, next - first, unloaded(from, until), ...marks);
  }

  /* The entry that is the same line or mark as one of before, where all came anew; undefined where there is none. */
  same(one) {
    const keyOf = ({ time, source, mark, words, content }) => JSON.stringify([time, source, mark, words, content && textOf({ content })]);
    const key = keyOf(one);
    return this.all.find((entry) => entry.time === one.time && !entry.gap && keyOf(entry) === key);
  }

  /* Whether no line is older than those that are here. */
  get isWhole() {
    return this.history === "all" && !this.dropped && this.lowest <= this.first;
  }

  /* The time since when all lines are here, but for those of gaps. */
  get oldest() {
    const time = this.#firstLine?.time ?? "";
    return time > this.since ? time : this.since;
  }

  get #firstLine() {
    return this.all.find((entry) => !entry.gap && !entry.mark);
  }

  /* Those that are not among others. Lines are known by source, time and the beginning of their text. */
  #unknown(got, others) {
    const earliest = got.reduce((time, entry) => (entry.time < time ? entry.time : time), got[0]?.time);
    const keyOf = (entry) => `${entry.source} ${entry.time} ${textOf(entry).slice(0, KEY_LENGTH)}`;
    const counts = new Map();
    for (const entry of others) {
      if (entry.gap || entry.mark || !(entry.time >= earliest)) continue;
      const key = keyOf(entry);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return got.filter((entry) => {
      if (entry.mark) return true;
      const key = keyOf(entry);
      const left = counts.get(key) ?? 0;
      counts.set(key, left - 1);
      return left <= 0;
    });
  }

  #placeSeam() {
    const isNeeded = this.#firstLine?.time < this.since;
    if (isNeeded && this.seam?.time === this.since) return;
    if (this.seam) this.all = this.all.filter((entry) => entry !== this.seam);
    this.seam = isNeeded ? { n: null, time: this.since, source: -1, severity: 0, mark: "older", words: SEAM } : null;
    if (!this.seam) return;
    const place = this.all.findIndex(({ time }) => time >= this.since);
    this.all.splice(place < 0 ? this.all.length : place, 0, this.seam);
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
