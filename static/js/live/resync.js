/* Resynchronisation of a page: it follows a view that was swapped in, requests the window again when a frame did not
   fit, and fetches over HTTP what is too big for the socket, or the whole page where the server now follows another
   view. */

import { parsePage } from "../page/trusted_html.js";
import { now } from "./steady_clock.js";
import { awaitNoMore, awaitWindow, link, send } from "./connection.js";
import {
  adoptBeside, beside, isWhole, pathNow, rendered, shown, socketElement, where,
} from "./shown_views.js";
import { judge } from "./live_state.js";

const OFTEN = 500; // minimum milliseconds between two requested views: the server allows two a second
const SELDOM = 2000; // the same for whole windows and pages
const RARELY = 10000; // the same for pages of another view
const PATIENCE = 10000; // milliseconds that a response may take

export const doubts = { count: 0 }; // how often something did not fit
const asked = { at: -Infinity, timer: 0 };
const followed = { at: -Infinity, timer: 0 };
const renewed = { at: -Infinity, timer: 0 };
const fetched = { at: -Infinity, timer: 0 };

function tellWhere() {
  followed.at = now();
  send(where());
}

/* Follows the heartbeat only, while the page is hidden. */
export function rest() {
  if (shown.resting || !shown.path) return;
  shown.resting = true;
  send(where());
}

/* Follows the view again. The page is stale until it has what changed meanwhile. */
export function wake() {
  if (!shown.resting) return;
  shown.resting = false;
  awaitWindow(true);
  tellWhere();
  judge();
}

/* A page of another view, or another rendering of the same one, has been swapped in by an ordinary request. */
export function follow() {
  const { view, seq } = rendered();
  const opened = adoptBeside();
  if (view === shown.view && seq === shown.seq && !opened) return;
  if (view !== shown.view) Object.assign(shown, { view, keys: [] });
  shown.path = pathNow();
  shown.seq = seq;
  awaitNoMore();
  clearTimeout(asked.timer);
  clearTimeout(followed.timer);
  clearTimeout(renewed.timer);
  const wait = opened ? followed.at + OFTEN - now() : 0;
  if (wait > 0) followed.timer = setTimeout(tellWhere, wait);
  else tellWhere();
}

/* Requests the whole window again after a frame that did not fit, at most every two seconds. Until it comes `seq` is
   empty, no frame on its way fits, and the page is not live. */
export function askAgain() {
  doubts.count += 1;
  shown.seq = beside.seq = "";
  judge();
  const wait = asked.at + SELDOM - now();
  clearTimeout(asked.timer);
  if (wait > 0) {
    asked.timer = setTimeout(askAgain, wait);
    return;
  }
  asked.at = now();
  send(where());
}

/* Cancels the request: the window has come without it. */
export const askNoMore = () => clearTimeout(asked.timer);

/* Requests the window again although the shown one is right. */
export const refresh = () => send({ ...where(), seq: "" });

/* Fetches content that is too big for the socket over HTTP, every two seconds until it has it. */
export function fetchPage(part = shown) {
  part.seq = "";
  judge();
  if (!fetched.timer) fetched.timer = setTimeout(fetchNow, Math.max(0, fetched.at + SELDOM - now()));
}

async function fetchNow() {
  fetched.at = now();
  const path = shown.path;
  const isStillShown = () => shown.path === path && !isWhole(); // otherwise a window or another page came meanwhile
  try {
    const text = isStillShown() ? await pageText(path) : "";
    if (isStillShown() && text) await replaceMain(text);
  } catch (error) {
    console.warn(`${path} could not be fetched: ${error.message}`);
  }
  fetched.timer = 0;
  if (!isWhole()) fetchPage(shown.view && !shown.seq ? shown : beside);
}

/* Fetches the page again where the server follows another view than the page shows: it was restarted as another
   version, or the kind has other columns now. Until the two agree the page says so, and retries every ten seconds. */
export async function fetchOther() {
  if (renewed.at > now() - RARELY) {
    tryLater();
    return;
  }
  renewed.at = now();
  const { path, view } = shown;
  const opened = beside.view;
  const same = () => shown.path === path && shown.view === view && beside.view === opened;
  shown.seq = "";
  try {
    const text = await pageText(path);
    if (text && same()) await replaceMain(text, true);
  } catch (error) {
    console.warn(`${path} could not be fetched: ${error.message}`);
  }
  if (same()) tryLater();
  else link.strange = false;
  judge();
}

/* Tries again after a fetch that failed or did not help, unless the page shows something else by then. */
function tryLater() {
  link.strange = true;
  clearTimeout(renewed.timer);
  renewed.timer = setTimeout(() => link.strange && fetchOther(), renewed.at + RARELY - now());
}

/* The text of a page; empty for any other response, such as a proxy's sign-in. */
async function pageText(path) {
  const answer = await fetch(path, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
  return answer.ok ? answer.text() : "";
}

/* Swaps in the main part, after which `follow` runs; another view only if `other` is set. Where the page holds the
   object's details hidden, as the editor does, only those are replaced, so that what was typed stays. */
async function replaceMain(text, other = false) {
  const page = parsePage(text);
  const { view, element } = rendered(page);
  const listening = rendered().element?.closest("[hidden]");
  const select = listening ? `#${CSS.escape(element?.id ?? "")}` : "#main";
  const target = document.querySelector(listening ? `#${CSS.escape(rendered().element.id)}` : "#main");
  if ((view !== shown.view && !other) || !page.getElementById("main") || !target || (listening && !element)) return;
  if (!element) socketElement().setAttribute("hx-ws:connect", page.getElementById("socket").getAttribute("hx-ws:connect"));
  await htmx.swap({ text, target, select, swap: "outerMorph", sourceElement: document.body });
}
