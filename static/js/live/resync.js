/* How a page comes to show the whole again: it follows where it was led, asks for the window anew when something did
   not fit, and fetches over HTTP what is too big for the socket, or itself where the server shows it otherwise by now. */

import { now } from "./clock.js";
import { awaitNoMore, awaitWindow, link, send } from "./link.js";
import {
  adoptBeside, beside, isWhole, pathNow, rendered, shown, socketElement, where,
} from "./page.js";
import { judge } from "./state.js";

const OFTEN = 500; // milliseconds between two views that are asked for, at least: the server allows two a second
const SELDOM = 2000; // the same for whole windows and pages
const RARELY = 10000; // the same for pages of another view
const PATIENCE = 10000; // milliseconds that an answer may take

export const doubts = { count: 0 }; // how often something did not fit
const asked = { at: -Infinity, timer: 0 };
const followed = { at: -Infinity, timer: 0 };
const renewed = { at: -Infinity, timer: 0 };
const fetched = { at: -Infinity, timer: 0 };

function tellWhere() {
  followed.at = now();
  send(where());
}

/* Nobody sees the page: have the heartbeat only. */
export function rest() {
  if (shown.resting || !shown.path) return;
  shown.resting = true;
  send(where());
}

/* It is seen again: stale until it is known what changed meanwhile. */
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

/* Something did not fit: have the whole window again, at most every two seconds, but in any case. Until it comes
   `seq` is empty, nothing that is on its way fits, and the page is not live. */
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

/* The window has come by itself. */
export const askNoMore = () => clearTimeout(asked.timer);

/* Have the window sent again though nothing is wrong with what is shown. */
export const refresh = () => send({ ...where(), seq: "" });

/* Too big for the socket: the page fetches its content over HTTP, every two seconds until it has it. */
export function fetchPage(part = shown) {
  part.seq = "";
  judge();
  if (!fetched.timer) fetched.timer = setTimeout(fetchNow, Math.max(0, fetched.at + SELDOM - now()));
}

async function fetchNow() {
  fetched.at = now();
  const path = shown.path;
  const wanted = () => shown.path === path && !isWhole(); // else a window came meanwhile, or another page
  try {
    const text = wanted() ? await pageText(path) : "";
    if (wanted() && text) await replaceMain(text);
  } catch (error) {
    console.warn(`${path} could not be fetched: ${error.message}`);
  }
  fetched.timer = 0;
  if (!isWhole()) fetchPage(shown.view && !shown.seq ? shown : beside);
}

/* The server follows another view than the page shows: it was started anew as another version, or the kind has other
   columns now. The page fetches itself, once in a while; as long as that does not make the two agree, it says so. */
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

/* Neither a fetch that failed nor one that did not help is the last; it is where the page comes to show something else. */
function tryLater() {
  link.strange = true;
  clearTimeout(renewed.timer);
  renewed.timer = setTimeout(() => link.strange && fetchOther(), renewed.at + RARELY - now());
}

/* Any answer but a page, of a proxy's sign-in perhaps, is as good as none. */
async function pageText(path) {
  const answer = await fetch(path, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
  return answer.ok ? answer.text() : "";
}

/* `follow` does the rest; of another view it takes over what `other` allows. Where the page only listens to what it is about, as the editor does, what was typed stays. */
async function replaceMain(text, other = false) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const { view, element } = rendered(page);
  const listening = rendered().element?.closest("[hidden]");
  const select = listening ? `#${CSS.escape(element?.id ?? "")}` : "#main";
  const target = document.querySelector(listening ? `#${CSS.escape(rendered().element.id)}` : "#main");
  if ((view !== shown.view && !other) || !page.getElementById("main") || !target || (listening && !element)) return;
  if (!element) socketElement().setAttribute("hx-ws:connect", page.getElementById("socket").getAttribute("hx-ws:connect"));
  await htmx.swap({ text, target, select, swap: "outerMorph", sourceElement: document.body });
}
