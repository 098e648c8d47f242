/* Swap styles for live frames, as an htmx extension.

   hx-swap="place before:row-X" | "place end"   each element of the fragment, known by its id, stands before #row-X in
                                 the target, or last. One that is there is morphed and moved (moveBefore), so that node,
                                 focus and checkbox survive; else it is inserted. The reference is looked up when the
                                 swap is made, so a frame may refer to a row that it has just brought.
   hx-swap="gone"                the target is marked data-gone and removed after three seconds.
   hx-swap="window"              the target's content becomes the fragment's; what is the same keeps its node.
   hx-swap="feed max:200 added:3 modified:9 deleted:1"   lines whose ids sort as they stand, newest first: one that is
                                 there is morphed, one with data-leave goes, any other comes to its place; the target
                                 keeps its first 200. The numbers are what they stand for, shown or not.
   hx-swap="leave"               the target is removed.
   hx-swap="attributes"          the target's attributes become those of the fragment's element; what is inside stays.

   In a holder that carries data-ui-held (see page/pause.js) nothing comes, moves or leaves: what is there is morphed where it
   stands, what would leave is marked data-left, and a deltaboard:waiting event says how much was not done: of a whole
   window that is `all` that waits.

   After a pause (deltaboard:paused, deltaboard:resumed) every cell that differs from what it was then is marked.

   A cell whose value changed has the class `changed` for a second, but for what objects use, an inserted row `added`. A reference that is not
   there loses nothing: the row goes to the end and a deltaboard:lost event on document asks for the whole window. */

import { htmxPolicy } from "./trusted_html.js";

export function start() {
  const MARKED = 1000;
  const GONE = 3000;
  const marks = new WeakMap(); // element → Map(class → timer)
  const removals = new WeakMap(); // row → timer of its removal
  const remembered = new Map(); // id of a row → its values when the page was paused
  let api;

  const holderOf = (element) => element.closest("[data-ui-held]");
  const isHeld = (element) => holderOf(element) !== null;

  function waiting(count) {
    if (count) document.dispatchEvent(new CustomEvent("deltaboard:waiting", { detail: { count } }));
  }

  function mark(element, name) {
    let timers = marks.get(element);
    if (!timers) marks.set(element, (timers = new Map()));
    clearTimeout(timers.get(name));
    element.classList.remove(name);
    requestAnimationFrame(() => {
      if (timers.has(name)) element.classList.add(name);
    });
    timers.set(name, setTimeout(() => {
      timers.delete(name);
      element.classList.remove(name);
    }, MARKED));
  }

  /* The value of a cell, independent of text that scripts wrote: of an age its timestamp. */
  function value(cell) {
    const time = cell.querySelector("time[datetime]");
    return time ? time.getAttribute("datetime") : cell.textContent.trim();
  }

  const values = (row) => Array.from(row.children, value);

  function markChanges(row, before) {
    const now = values(row);
    if (now.length !== before.length) return;
    now.forEach((text, index) => {
      if (text !== before[index] && !row.children[index].matches(".k-usage")) mark(row.children[index], "changed");
    });
  }

  function alone(element) {
    const fragment = document.createDocumentFragment();
    fragment.append(element);
    return fragment;
  }

  function stay(row) {
    clearTimeout(removals.get(row));
    removals.delete(row);
  }

  function nextThatStays(row) {
    let next = row.nextElementSibling;
    while (next?.matches("[data-gone], [data-left]")) next = next.nextElementSibling;
    return next;
  }

  function move(parent, row, reference) {
    if (nextThatStays(row) === reference) return;
    if (parent.moveBefore) parent.moveBefore(row, reference);
    else parent.insertBefore(row, reference);
  }

  function placeOne(target, row, reference) {
    const present = row.id ? document.getElementById(row.id) : null;
    if (!present || present.parentNode !== target) {
      present?.remove();
      target.insertBefore(row, reference);
      mark(row, "added");
      return row;
    }
    stay(present);
    const before = values(present);
    api.morph(present, alone(row), false);
    markChanges(present, before);
    move(target, present, reference);
    return present;
  }

  /* The row stays because rows are held, and is marked as no longer in the list. */
  function markLeft(row) {
    row.setAttribute("data-left", "");
    row.title = "No longer in this list, or on another page of it";
  }

  function comeBack(row) {
    if (!row.hasAttribute("data-left")) return;
    row.removeAttribute("data-left");
    row.removeAttribute("title");
  }

  /* Morphs the row in its place, and returns whether that is already its right place. */
  function placeHeld(target, row, before) {
    const present = row.id ? document.getElementById(row.id) : null;
    if (present?.parentNode !== target) return false;
    const texts = values(present);
    const next = nextThatStays(present)?.id ?? "";
    api.morph(present, alone(row), false);
    present.removeAttribute("data-gone");
    comeBack(present);
    stay(present);
    markChanges(present, texts);
    return next === String(before ?? "");
  }

  function place(target, fragment, spec) {
    if (isHeld(target)) {
      waiting(Array.from(fragment.children).filter((row) => !placeHeld(target, row, spec.before)).length);
      return [];
    }
    let reference = null;
    if (spec.before) {
      reference = document.getElementById(String(spec.before));
      if (reference?.parentNode !== target) {
        reference = null;
        document.dispatchEvent(new CustomEvent("deltaboard:lost", { detail: { reference: spec.before } }));
      }
    }
    return Array.from(fragment.children, (row) => placeOne(target, row, reference));
  }

  function gone(row) {
    row.setAttribute("data-gone", "");
    stay(row);
    if (isHeld(row)) waiting(1);
    else fade(row);
    return [];
  }

  function fade(row) {
    removals.set(row, setTimeout(() => {
      if (row.hasAttribute("data-gone")) row.remove();
    }, GONE));
  }

  function leave(row) {
    if (!isHeld(row)) row.remove();
    else {
      if (row.matches("tr")) markLeft(row);
      waiting(1);
    }
    return [];
  }

  /* Attributes that scripts or users set stay, as in a morph (base.html's morphIgnore). */
  function attributes(target, fragment) {
    const source = fragment.firstElementChild;
    const ignored = (name) => htmx.config.morphIgnore.some((start) => name.startsWith(start));
    for (const { name } of Array.from(target.attributes)) {
      if (!source.hasAttribute(name) && !ignored(name)) target.removeAttribute(name);
    }
    for (const { name, value } of source.attributes) {
      if (target.getAttribute(name) !== value && !ignored(name)) target.setAttribute(name, value);
    }
    return [];
  }

  function windowHeld(target, fragment) {
    const coming = Array.from(fragment.children);
    const ids = new Set(coming.map((row) => row.id));
    const leaving = Array.from(target.children).filter((row) => !ids.has(row.id));
    for (const row of leaving) if (row.matches("tr:not([data-gone])")) markLeft(row);
    const place = (row, index) => placeHeld(target, row, coming[index + 1]?.id);
    const count = leaving.length + coming.filter((row, index) => !place(row, index)).length;
    document.dispatchEvent(new CustomEvent("deltaboard:waiting", { detail: { count, all: true } }));
    return [];
  }

  function replaceWindow(target, fragment) {
    if (holderOf(target)?.dataset.uiHeld === "held") return windowHeld(target, fragment);
    const before = new Map();
    const leaving = [];
    for (const row of Array.from(target.children)) {
      if (row.hasAttribute("data-gone")) leaving.push([row, nextThatStays(row)?.id]);
      else if (row.id) before.set(row.id, values(row));
    }
    for (const [row] of leaving) row.remove();
    const content = document.createDocumentFragment();
    content.append(...fragment.children);
    const ids = new Set(Array.from(content.children, (row) => row.id));
    api.morph(target, content, true);
    for (const row of target.children) {
      if (before.has(row.id)) markChanges(row, before.get(row.id));
    }
    for (const [row, next] of leaving) {
      if (ids.has(row.id)) {
        stay(row);
        continue;
      }
      target.insertBefore(row, next ? target.querySelector(`:scope > #${CSS.escape(next)}`) : null);
      if (!removals.has(row)) fade(row); // it was held until now
    }
    return Array.from(target.children);
  }

  function feedHeld(spec) {
    const counts = Object.fromEntries(["added", "modified", "deleted"].map((op) => [op, Number(spec[op]) || 0]));
    const count = counts.added + counts.modified + counts.deleted;
    if (count) document.dispatchEvent(new CustomEvent("deltaboard:waiting", { detail: { count, counts } }));
    return [];
  }

  function feed(target, fragment, spec) {
    if (isHeld(target)) return feedHeld(spec);
    const lines = Array.from(fragment.children);
    const existing = new Map(lines.map((line) => [line, document.getElementById(line.id)]));
    for (const line of lines) {
      if (line.hasAttribute("data-leave")) existing.get(line)?.remove();
    }
    let next = target.firstElementChild;
    for (const line of lines) {
      const present = existing.get(line);
      if (line.hasAttribute("data-leave")) continue;
      if (present?.parentNode === target) {
        api.morph(present, alone(line), false);
        continue;
      }
      while (next && next.id > line.id) next = next.nextElementSibling;
      target.insertBefore(line, next);
    }
    const most = Number(spec.max) || 200;
    while (target.children.length > most) target.lastElementChild.remove();
    return lines;
  }

  /* ---- a pause, and what changed meanwhile ---- */

  const pausedRows = () => Array.from(document.querySelector("tbody[data-hold]")?.children ?? []);

  document.addEventListener("deltaboard:paused", () => {
    remembered.clear();
    for (const row of pausedRows()) remembered.set(row.id, values(row));
  });

  document.addEventListener("deltaboard:resumed", () => {
    for (const row of pausedRows()) {
      if (remembered.has(row.id)) markChanges(row, remembered.get(row.id));
      else mark(row, "added");
    }
    remembered.clear();
  });

  const styles = { place, gone, leave, attributes, window: replaceWindow, feed };

  htmx.registerExtension("place", {
    init(internal) {
      api = internal;
      internal.initSecurity(htmxPolicy);
    },

    handle_swap(style, target, fragment, spec) {
      return Object.hasOwn(styles, style) ? styles[style](target, fragment, spec) : false;
    },

    /* Morphing gives an element the class attribute of the server: keep the marks that are still running. */
    htmx_before_morph_attr(element, { attrName, newValue }) {
      const timers = attrName === "class" && marks.get(element);
      if (!timers || !timers.size) return true;
      element.className = [newValue, ...timers.keys()].filter(Boolean).join(" ");
      return false;
    },

    /* The browser writes the text of an age: the server's UTC text replaces it only with another timestamp. */
    htmx_before_morph_node(element, { newNode }) {
      return !(
        element.nodeType === Node.ELEMENT_NODE
        && element.matches("time[data-age]")
        && element.getAttribute("datetime") === newNode.getAttribute("datetime")
      );
    },
  });
}
