/* Entry point of the live updates of a page. It joins the modules of live/, which share the page's one socket:

   steady_clock time that passes also while the machine sleeps
   shown_views  what this page shows: views and the states (seq) they are at
   connection   the socket of hx-ws: open or not, heard when, how late, acknowledged how far
   status_text  sentences that say why a page is not live
   live_state   body[data-live] and the banner
   heartbeat    the heartbeat and the counts it brings
   resync       windows requested again, pages fetched
   messages     frames: which fit, and what follows from them
   reconnect    the socket checked and renewed; a hidden page rests

   Server to browser: {"content", "view", "seq", "after"} is a frame (hx-ws swaps `content`; `after` names the state it
   builds upon and is missing where it replaces everything), {"fetch", "view"} stands for a frame that would be too big,
   {"view", "seq", "keys", "path"} says what the socket follows, and {"beat": {…}} comes every second, with the moment it
   was `sent` by a steady clock. Browser to server: {"view": path, "seq", "beside": seq}, where an empty path asks for
   the heartbeat only, and {"ack": units received}. A list may show an opened object beside it (see
   list/drawer.js): a second view on the same socket, whose hello carries `beside`.

   Events on document, for other scripts: deltaboard:beat (the beat, with `late` seconds that it is old and
   `offset` seconds to add to the browser's clock), deltaboard:state (state, words), deltaboard:frame (view, seq, whole, beside), deltaboard:rates (the overview's
   chart), deltaboard:log (lines of logs). From them: deltaboard:follow (the page shows something else), deltaboard:lost (a row's place was not found),
   deltaboard:refresh (send the window again).

   base.html's htmx-config needs: ws.reconnectCodes [1000,1001,1005,1006,1011,4012], ws.reconnectMaxDelay 1500,
   ws.pauseOnBackground false, extensions "ws, place". This file runs after page/main.js, which has
   htmx, hx-ws and the swap styles, and after the other scripts of the page. */

import { askAgain, follow, refresh } from "./resync.js";
import { begin } from "./reconnect.js";
import "./messages.js";
import { adopt, socketElement } from "./shown_views.js";
import { showWords } from "./live_state.js";

document.addEventListener("deltaboard:lost", askAgain);
document.addEventListener("deltaboard:refresh", refresh);
document.addEventListener("deltaboard:follow", follow);

document.addEventListener("htmx:after:swap", ({ detail }) => {
  if (detail.ctx?.sourceElement === socketElement()) return;
  showWords();
  follow();
});

adopt();
begin();
