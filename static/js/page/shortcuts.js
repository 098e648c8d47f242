/* Single-key shortcuts. Never while typing, never with Ctrl, Alt or Meta, and not at all where somebody
   switched them off (WCAG 2.1.4; kept in localStorage). The help dialog lists them. */
export function start() {
  const CURSOR = "data-ui-cursor"; // morphing leaves attributes that begin with data-ui alone
  const OFF = "deltaboard-keys-off";
  const GO = { o: "/", f: "/feed/", c: "/controllers/", p: "/resources/pods/", m: "/resources/mydemos.crddemo.k8s.io/" };
  const HINT_TIME = 4000;
  const pending = { go: 0, hint: 0 };

  const dialog = document.getElementById("keys");
  const toggle = document.getElementById("keys-on");

  function stored(value) {
    try {
      if (value === undefined) return localStorage.getItem(OFF) === "1";
      localStorage.setItem(OFF, value ? "1" : "0");
      return value;
    } catch {
      return false; // storage is blocked: shortcuts stay as they are in this page
    }
  }

  let off; // read when needed: the first access to the storage delays a page's first paint
  const isOff = () => (off ??= stored());
  toggle?.addEventListener("change", () => { off = stored(!toggle.checked); });

  function help() {
    if (!dialog || dialog.open) return;
    toggle.checked = !isOff();
    dialog.showModal();
  }

  function hint(words) {
    const place = document.getElementById("key-hint");
    if (!place) return;
    place.textContent = words;
    clearTimeout(pending.hint);
    pending.hint = setTimeout(() => { place.textContent = ""; }, HINT_TIME);
  }

  const isTyping = (element) => element?.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");

  function focusFilter() {
    const input = document.getElementById("q");
    if (!input) return false;
    input.focus();
    input.select();
    return true;
  }

  /* ---- rows ---- */

  const rows = () => [...document.querySelectorAll(".table tbody tr:not([data-gone])")];
  const current = () => document.querySelector(`.table tbody tr[${CURSOR}]`);

  function select(row) {
    current()?.removeAttribute(CURSOR);
    if (!row) return;
    row.setAttribute(CURSOR, "");
    row.scrollIntoView({ block: "nearest" });
    row.querySelector("a")?.focus({ preventScroll: true });
  }

  function move(step) {
    const all = rows();
    const from = all.indexOf(current());
    if (from < 0) select(all[step > 0 ? 0 : all.length - 1]);
    else select(all[Math.min(all.length - 1, Math.max(0, from + step))]);
  }

  /* Follows the visible link of a key: edit pages contain the object's details hidden. */
  const followLink = (key) => [...document.querySelectorAll(`[data-key="${key}"]`)].find((each) => each.checkVisibility())?.click();

  /* An action on the row under the cursor, or on the object of this page. It never leaves a page with an editor. */
  function act(path, key) {
    if (document.getElementById("edit")) return;
    const link = current()?.querySelector("td.c-name a");
    if (!link) return followLink(key);
    const needed = { e: ["data-editable", "edited"], d: ["data-deletable", "deleted"] }[key];
    if (!needed || document.querySelector(`.table[${needed[0]}]`)) location.assign(link.href + path);
    else hint(`${document.querySelector(".table caption")?.textContent ?? "These"} cannot be ${needed[1]} here.`);
  }

  function tick() {
    const box = current()?.querySelector(".c-select input");
    if (box) box.click();
    else if (rows().length) hint("j and k go to a row, x selects it.");
  }

  /* Keys of a row are handled in quick_actions/main.js. */
  const ofRow = (key) => document.dispatchEvent(new CustomEvent("deltaboard:row-key", { detail: { key, say: hint } }));

  const KEYS = {
    a: () => ofRow("a"),
    i: () => ofRow("i"),
    j: () => move(1),
    k: () => move(-1),
    x: tick,
    e: () => act("edit/", "e"),
    d: () => act("delete/", "d"),
    y: () => act("yaml/", "y"),
    c: () => followLink("c"),
    l: () => followLink("l"),
    s: () => followLink("s"),
    w: () => followLink("w"),
    h: () => followLink("h"),
    p: () => document.getElementById("pause")?.click(),
    f: focusFilter,
    "/": () => focusFilter() || document.querySelector("[data-palette]")?.click(),
    "?": help,
  };

  function onGo(event) {
    const wanted = GO[event.key];
    pending.go = 0;
    if (!wanted) return false;
    location.assign(wanted);
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.key === "Escape" && event.target.id === "q") return event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isOff()) return;
    if (document.querySelector("dialog[open]") || isTyping(event.target)) return;
    if (event.timeStamp < pending.go && onGo(event)) return event.preventDefault();
    if (event.key === "g") {
      pending.go = event.timeStamp + 1200;
      return;
    }
    if (event.key === "Enter" && current() && !event.target.closest("a, button, summary")) {
      return current().querySelector("a")?.click();
    }
    if (!Object.hasOwn(KEYS, event.key)) return;
    event.preventDefault();
    KEYS[event.key]();
  });

  document.addEventListener("click", ({ target }) => {
    if (target.closest("[data-keys-help]")) help();
    if (target === dialog) dialog.close(); // the backdrop
  });
}
