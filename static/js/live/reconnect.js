/* Reconnection of the socket: checked twice a second, and renewed where it is silent, lost or in doubt.

   hx-ws connects again after most closes, but does not notice a server that hangs, a line that was cut silently, a page
   that returns from the back/forward cache or a machine that wakes up. Then the page says so, and opens a new socket
   instead of waiting for the old one. After each failure the next socket gets more time, so that a slow line or a busy
   server is not asked again and again for what is already on its way.

   A hidden page keeps its socket, for the sake of its tab's icon and title, but rests after a while. */

import { askAgain, rest, wake } from "./resync.js";
import { now, onWake } from "./steady_clock.js";
import { acknowledge, connection, direct, isOpen, link, opened, send } from "./connection.js";
import { socketElement, where } from "./shown_views.js";
import { judge, last, offline, SILENCE, silent } from "./live_state.js";
import { FINAL } from "./status_text.js";

const LOOK = 500; // milliseconds between two looks
const HANDSHAKE = 4000; // milliseconds that connecting may take at first
const LONGEST = 30000; // milliseconds that anything may take
const UNSEEN = 5000; // milliseconds after which a hidden page rests

const tries = { number: 0, resting: 0 };

function renew() {
  if (FINAL[link.closed]) return;
  link.since = now();
  tries.number += 1;
  htmx.process(socketElement(), true);
}

/* Whether the socket has used up its time, which grows with each failed try. */
function overdue(time) {
  return now() - link.since > Math.min(LONGEST, time * 2 ** Math.max(0, tries.number - 1));
}

function look() {
  const moment = now();
  const state = connection()?.socket?.readyState;
  if (state === WebSocket.OPEN && link.open) {
    if (link.beat) tries.number = 0;
    if (moment - link.heard > SILENCE) {
      silent();
      if (overdue(SILENCE)) renew();
    } else judge();
    acknowledge();
    return;
  }
  if (last.state !== "stale" || moment - link.since > SILENCE) offline();
  if (overdue(state === WebSocket.CONNECTING ? HANDSHAKE : 2 * SILENCE)) renew();
}

/* Something happened to the machine, the network or the page, so the socket's state is unknown. */
function distrust() {
  if (FINAL[link.closed] || !socketElement()) return;
  tries.number = 0;
  silent();
  renew();
}

document.addEventListener("htmx:ws:before:connection", ({ detail }) => {
  link.since = now();
  direct(detail.connection);
});

document.addEventListener("htmx:ws:after:connection", opened);

document.addEventListener("htmx:ws:close", ({ detail }) => {
  link.open = false;
  if (detail.reason !== "closed") return;
  link.closed = detail.code;
  offline();
});

document.addEventListener("htmx:ws:error", () => {
  if (isOpen()) askAgain(); // a frame could not be applied
});

window.addEventListener("pageshow", (event) => {
  if (event.persisted) distrust();
});
window.addEventListener("online", distrust);
onWake((moment) => {
  if (link.since < moment) distrust(); // else look() has noticed it, too, and this is the fresh socket
});
document.addEventListener("resume", distrust);

document.addEventListener("visibilitychange", () => {
  clearTimeout(tries.resting);
  if (document.hidden) {
    tries.resting = setTimeout(rest, UNSEEN);
    return;
  }
  wake();
  if (!isOpen() || now() - link.heard > SILENCE / 2) distrust();
});

/* hx-ws may have connected before this script ran. */
export function begin() {
  last.state = document.body.dataset.live;
  const early = connection();
  if (early) {
    direct(early);
    if (isOpen()) {
      opened();
      send(where()); // no script has heard what it received so far
    }
  }
  if (!socketElement()) return;
  htmx.process(socketElement());
  if (document.hidden) tries.resting = setTimeout(rest, UNSEEN);
  setInterval(look, LOOK);
}
