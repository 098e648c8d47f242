/* Handler of messages from the socket, before and after hx-ws swaps them in.

   A frame is applied if it replaces everything, or builds upon exactly the state that the page shows. A frame of
   another view is late and dropped; any other frame means that one was missed, so the window is requested. */

import { onBeat } from "./heartbeat.js";
import { askAgain, askNoMore, doubts, fetchOther, fetchPage } from "./resync.js";
import { acknowledge, awaitNoMore, awaitWindow, heard, inflate, link, received } from "./connection.js";
import { beside, drawn, isWholeBut, partOf, rendered, shown, tell } from "./shown_views.js";
import { judge } from "./live_state.js";

function check(detail, text) {
  const message = detail.message;
  const parsed = JSON.parse(text);
  message.data = text;
  message.json = () => Promise.resolve(parsed); // parsed once, here; hx-ws asks for it again
  message.deltaboard = parsed;
  if (parsed.content === undefined) return;
  const part = partOf(parsed.view);
  const isShown = part !== null;
  const whole = parsed.after === undefined;
  const fits = whole || parsed.after === part?.seq;
  if (whole && isShown && isWholeBut(part)) askNoMore();
  if (isShown && !fits) askAgain();
  if (!isShown || !fits) detail.cancelled = true;
  message.doubts = doubts.count;
}

/* The server says what the socket follows from now on. A response to an outdated request names another view. */
function onHello(hello) {
  if (hello.path !== shown.path) return;
  if (hello.beside) {
    if (hello.view !== beside.view) fetchOther();
    else if (hello.seq) beside.seq = hello.seq;
    return;
  }
  if (shown.view && hello.view !== shown.view) {
    fetchOther();
    return;
  }
  link.strange = false;
  shown.keys = hello.keys;
  if (hello.seq) shown.seq = hello.seq;
  if (hello.seq || !hello.view) awaitNoMore();
  else awaitWindow(false);
}

/* A frame whose swap found that something is missing (deltaboard:lost) leaves the page at no state: `certain` is false. */
function onFrame(frame, certain) {
  const part = partOf(frame.view);
  if (!part || !certain) return;
  if (part === shown && frame.after === undefined) awaitNoMore();
  part.seq = frame.seq;
  const element = part === beside ? drawn() : rendered().element;
  if (element?.dataset.view === frame.view) element.dataset.seq = frame.seq;
  if (frame.rates) tell("rates", frame.rates);
  if (frame.log) tell("log", { view: frame.view, ...frame.log });
  tell("frame", { view: frame.view, seq: frame.seq, whole: frame.after === undefined, beside: part === beside });
  judge();
}

function onTooBig(part) {
  awaitNoMore();
  fetchPage(part);
}

document.addEventListener("htmx:ws:before:message:incoming", ({ detail }) => {
  const data = detail.message.data;
  received(data);
  if (typeof data === "string") check(detail, data);
  else detail.waitUntil(inflate(data).then((text) => check(detail, text)));
});

document.addEventListener("htmx:ws:after:message:incoming", ({ detail }) => {
  const message = detail.message.deltaboard;
  heard();
  if (message?.beat) onBeat(message.beat);
  else if (message?.content !== undefined) onFrame(message, doubts.count === detail.message.doubts);
  else if (message?.keys) onHello(message);
  else if (message?.fetch && partOf(message.view)) onTooBig(partOf(message.view));
  acknowledge();
});
