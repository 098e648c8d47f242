/* A terminal in a container: xterm.js, and its own websocket (dashboard/server/terminal_consumer.py). It begins when
   somebody presses Start. What was drawn is acknowledged, so that a command that writes without end waits for the
   browser. The server takes 20 messages a second, so those of a kind are some time apart. */

import { FitAddon } from "../../vendor/@xterm/addon-fit/addon-fit.esm.min.js";
import { Terminal } from "../../vendor/@xterm/xterm/xterm.esm.min.js";
import { openTerminal } from "./allowed_styles.js";
import { startClipboard } from "./clipboard.js";
import { followPod } from "./pod.js";

const INPUT_GAP = 75; // milliseconds between two messages of input
const CONTROL_GAP = 250; // milliseconds between two messages of what was drawn and of the window's size
const MAX_INPUT = 12 * 1024; // bytes of a message; the server takes 16 KiB
const REFUSALS = {
  4400: "Deltaboard did not understand this page. Load it again.",
  4401: "You are signed out. Sign in, and open the terminal again.",
  4403: "Deltaboard does not let this browser in. Load the page again.",
  4404: "This pod has no terminal.",
  4429: "Too much was typed at once.",
  4503: "Deltaboard has no room for more connections now. Try again in a minute.",
};

export function start() {
  const form = document.getElementById("terminal-form");
  const holder = document.getElementById("terminal");
  if (!form || !holder) return;
  const entry = history.state?.terminal ?? {};
  const session = { socket: null, terminal: null, fit: null, drawn: 0, size: null, control: 0, queue: [], timer: 0, sentAt: 0, isOver: true, what: "", refused: "", isWaiting: false };
  const status = document.getElementById("terminal-status");
  const button = form.querySelector("[data-terminal-start]");

  /* Notes something in this entry of the history, for when the page is loaded again. */
  const keep = (part) => history.replaceState({ ...history.state, terminal: Object.assign(entry, part) }, "");

  function say(words, tone = "") {
    if (status.textContent !== words) status.textContent = words; // else screen readers would say it again
    status.className = tone ? `status ${tone}` : "hint";
  }

  /* ---- the pod ---- */

  const pod = followPod(form, () => { offer(); lookAgain(); });

  /* Whether something can be started now. */
  function offer() {
    button.disabled = !session.isOver || !pod.isThere() || form.hasAttribute("data-denied");
  }

  /* ---- the clipboard ---- */

  const clipboard = startClipboard(() => ({ terminal: session.terminal, isOpen: holder.hasAttribute("data-open") }));

  /* ---- colours of the page: the caret's, which xterm.js draws itself, stands for that of what is selected ---- */

  function theme() {
    const { backgroundColor, color, caretColor } = getComputedStyle(holder);
    return { background: backgroundColor, foreground: color, cursor: color, selectionBackground: caretColor };
  }

  /* ---- input ---- */

  const send = (message) => {
    if (session.socket?.readyState === WebSocket.OPEN) session.socket.send(message);
  };

  function enqueue(text) {
    const bytes = new TextEncoder().encode(text);
    for (let from = 0; from < bytes.length; from += MAX_INPUT) session.queue.push(bytes.slice(from, from + MAX_INPUT));
    if (!session.timer) flush();
  }

  /* Sends one message; what is typed meanwhile goes with the next. */
  function flush() {
    session.timer = 0;
    const wait = session.sentAt + INPUT_GAP - performance.now();
    if (!session.queue.length) return;
    if (wait > 0) {
      session.timer = setTimeout(flush, wait);
      return;
    }
    let message = session.queue.shift();
    while (session.queue.length && message.length + session.queue[0].length <= MAX_INPUT) {
      const next = session.queue.shift();
      const both = new Uint8Array(message.length + next.length);
      both.set(message);
      both.set(next, message.length);
      message = both;
    }
    send(message);
    session.sentAt = performance.now();
    if (session.queue.length) session.timer = setTimeout(flush, INPUT_GAP);
  }

  /* ---- output ---- */

  function draw(bytes) {
    session.terminal.write(bytes, () => {
      session.drawn += bytes.length;
      session.control ||= setTimeout(sendControl, CONTROL_GAP);
    });
  }

  function sendControl() {
    const { drawn, size } = session;
    send(JSON.stringify(size ? { drawn, size } : { drawn }));
    Object.assign(session, { drawn: 0, size: null, control: 0 });
  }

  /* ---- the session ---- */

  function ended({ code, reason }) {
    session.isOver = true;
    const words = code === null ? reason || "The session ended." : `${session.what} ended with exit code ${code}.`;
    session.terminal.write(`\r\n\x1b[3m${words.replace(/[\x00-\x1f\x7f-\x9f]/g, " ")}\x1b[0m\r\n`);
    session.terminal.options.disableStdin = true;
    say(words, code === 0 ? "ok" : "warn");
    offer();
    button.querySelector("span").textContent = "Start again";
    holder.toggleAttribute("data-open", false);
    clipboard.update();
    keep({ isOpen: false });
  }

  function received({ data }) {
    if (typeof data !== "string") return draw(new Uint8Array(data));
    const message = JSON.parse(data);
    if (message.ended) return ended(message.ended);
    say(`Connected to ${form.elements.container.value}.`, "ok");
    holder.toggleAttribute("data-open", true);
    clipboard.update();
    keep({ isOpen: true });
    resized(session.terminal); // the window may have another size by now
    return undefined;
  }

  const resized = ({ cols, rows }) => {
    if (session.isOver || !holder.hasAttribute("data-open")) return;
    session.size = [cols, rows];
    session.control ||= setTimeout(sendControl, CONTROL_GAP);
  };

  /* Whether a key goes to the container. Shift+F6 leaves the terminal, and Tab does once the session is over; Ctrl+V
     pastes, and Ctrl+C copies what is selected. */
  function isForTerminal({ type, key, ctrlKey, shiftKey, altKey, metaKey }) {
    if (session.isOver && key === "Tab") return false;
    if (key === "F6" && shiftKey) {
      if (type === "keydown") form.elements.container.focus();
      return false;
    }
    const isControl = ctrlKey && !shiftKey && !altKey && !metaKey;
    return !(isControl && (key === "v" || (key === "c" && session.terminal.hasSelection())));
  }

  function makeTerminal() {
    const terminal = new Terminal({
      cursorBlink: true, fontSize: 13, scrollback: 10000, theme: theme(),
      fontFamily: getComputedStyle(holder).fontFamily, minimumContrastRatio: 4.5,
    });
    session.fit = new FitAddon();
    terminal.loadAddon(session.fit);
    openTerminal(terminal, holder);
    terminal.textarea.setAttribute("aria-label", holder.dataset.label);
    terminal.attachCustomKeyEventHandler(isForTerminal);
    terminal.onData((text) => enqueue(text));
    terminal.onBinary((text) => { session.queue.push(Uint8Array.from(text, (each) => each.charCodeAt(0))); flush(); });
    terminal.onResize(resized);
    terminal.onSelectionChange(clipboard.update);
    new ResizeObserver(() => { if (holder.clientWidth) session.fit.fit(); }).observe(holder);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { terminal.options.theme = theme(); });
    new MutationObserver(() => { terminal.options.theme = theme(); }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return terminal;
  }

  function open() {
    holder.hidden = false;
    session.terminal ??= makeTerminal();
    session.fit.fit();
    session.terminal.reset();
    Object.assign(session.terminal.options, { disableStdin: false, theme: theme() });
    const { container, shell, command } = form.elements;
    const what = shell.value === form.dataset.other ? "The command" : "The shell"; // whose exit code it is, not the container's
    Object.assign(session, { drawn: 0, queue: [], isOver: false, what });
    const { cols: columns, rows } = session.terminal;
    const begin = { uid: pod.uid(), container: container.value, shell: shell.value, command: command.value, columns, rows };
    const socket = session.socket = new WebSocket(new URL(holder.dataset.socket, location.href.replace(/^http/, "ws")));
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => socket.send(JSON.stringify({ start: begin })));
    socket.addEventListener("message", received);
    socket.addEventListener("close", ({ code }) => {
      if (session.socket !== socket || session.isOver) return;
      ended({ code: null, reason: REFUSALS[code] ?? "The connection to Deltaboard broke, and the session with it." });
    });
    pod.begin();
    offer();
    say("Starting …");
    session.terminal.focus();
  }

  /* Start in a container that is on its way waits until it runs. */
  function startOrWait() {
    const { value, selectedOptions } = form.elements.container;
    const { state, starting } = selectedOptions[0]?.dataset ?? {};
    Object.assign(session, { refused: state ? value : "", isWaiting: Boolean(state) && starting !== undefined });
    if (!state) open();
    else if (session.isWaiting) say(`${value} does not run yet (${state}). The terminal starts as soon as it runs.`);
    else say(`${value} is not running (${state}). See its logs, or add a debug container.`, "warn");
  }

  /* The containers have changed, or another one was chosen: what was said of one that did not run may be over. */
  function lookAgain() {
    if (!session.refused || !session.isOver) return;
    const { value, selectedOptions } = form.elements.container;
    const isSame = value === session.refused && pod.isThere();
    if (isSame && session.isWaiting) startOrWait();
    else if (!isSame || !selectedOptions[0].dataset.state) {
      session.refused = "";
      say("");
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (session.isOver) startOrWait();
  });
  form.elements.container.addEventListener("change", lookAgain);

  function showCommand() {
    const { shell, command } = form.elements;
    const isOther = shell.value === form.dataset.other;
    form.querySelector("[data-terminal-command]").hidden = !isOther;
    command.required = isOther;
  }

  form.elements.shell.addEventListener("change", () => {
    showCommand();
    if (form.elements.command.required) form.elements.command.focus();
  });

  /* Leaving the page ends what runs in the terminal. */
  addEventListener("beforeunload", (event) => {
    if (!session.isOver) event.preventDefault();
  });

  /* The browser loads this page again after Back, and closes what was open. */
  const debug = document.getElementById("terminal-debug");
  debug.open ||= Boolean(entry.debug);
  debug.addEventListener("toggle", () => keep({ debug: debug.open }));
  if (entry.isOpen) {
    say("This page was loaded again, and a terminal ends with its page. Start it again.", "warn");
    keep({ isOpen: false });
  }
  addEventListener("pageshow", showCommand); // the browser restores what was chosen

  offer();
  showCommand();
  if (!button.disabled && document.activeElement === document.body) button.focus();
}
