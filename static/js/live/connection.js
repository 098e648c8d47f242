/* State of the socket that hx-ws keeps for #socket: whether it is open, when it was last heard, what it has received.

   Whenever hx-ws connects it requests what the page shows at that moment: its `url` becomes a computed property. If the
   page shows something else by the time the socket is open, it sends that first. Applied data is acknowledged every 64
   kB or 5 s: the server pauses a page that does not keep up, and drops one that sends nothing at all. It also closes the
   socket of a page that sends more than 20 messages a second, so acknowledgements are at least 100 ms apart. */

import { now } from "./steady_clock.js";
import { shown, socketElement, where } from "./shown_views.js";

const ACK_SIZE = 64 * 1024; // units: characters of a text message, bytes of a binary one
const ACK_TIME = 5000; // milliseconds
const ACK_GAP = 100; // minimum milliseconds between two acknowledgements
const BEAT = 1000; // milliseconds between two heartbeats
const DRIFT = 0.5; // milliseconds per beat that two clocks may drift apart, added to the quickest beat's time

/* Times are those of live/steady_clock.js, but `heardAt`, which people read.
   since    the last change of the socket
   heard    the last message
   beat     the last heartbeat that came over it, at `beatAt`; null: none yet
   late     milliseconds that it took longer than the quickest one
   awaited  since when a window is to come; 0: none is
   doubtful whether the page may be far from what is there until then
   closed   the close code of the last connection
   strange  the server follows another view than the page shows */
export const link = { open: false, since: now(), heard: 0, heardAt: Date.now(), received: 0, acked: 0, ackedAt: 0 };
const fresh = { beat: null, beatAt: 0, late: 0, quickest: Infinity, awaited: 0, doubtful: false, closed: 0, strange: false };
Object.assign(link, fresh);
let acknowledging = 0; // the timer of an acknowledgement that waits for ACK_GAP
let lastAddress = ""; // the address of the last connection

export const connection = () => socketElement()?._htmx?.ws?.connection ?? null;
export const isOpen = () => connection()?.socket?.readyState === WebSocket.OPEN;

function address() {
  const { view: path, seq, beside: besideSeq } = where();
  const query = new URLSearchParams({ path, view: path ? shown.view : "", seq, beside: besideSeq });
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/live/?${query}`;
}

/* Makes a connection of hx-ws request what the page shows when it connects. */
export function direct(held) {
  lastAddress = address();
  Object.defineProperty(held, "url", { configurable: true, get: () => (lastAddress = address()), set() {} });
}

export function opened() {
  const moment = now();
  Object.assign(link, fresh, { open: true, since: moment, heard: moment, received: 0, acked: 0, ackedAt: moment });
  if (address() !== lastAddress) send(where());
}

export function heard() {
  link.heard = now();
  link.heardAt = Date.now();
}

/* A heartbeat that left the server at `sent` seconds of its steady clock. The time that one takes is unknown, but each
   takes at least as long as the quickest one; any longer time was spent behind other messages on a slow line. */
export function beaten(beat) {
  const beatAt = now();
  const took = beatAt - beat.sent * 1000;
  const quickest = Math.min(link.quickest + DRIFT, took);
  Object.assign(link, { beat, beatAt, quickest, late: took - quickest });
}

/* Minimum age of the received data in milliseconds. An overdue beat counts like one that came that late. */
export const lateness = (moment) => link.late + Math.max(0, moment - link.beatAt - BEAT);

/* The page waits for a window from now on, if it does not already. */
export function awaitWindow(doubtful) {
  link.awaited ||= now();
  link.doubtful ||= doubtful;
}

/* The window came, or is not needed. */
export function awaitNoMore() {
  Object.assign(link, { awaited: 0, doubtful: false });
}

/* Sends a message; returns whether there was an open socket. */
export function send(message) {
  if (!isOpen()) return false;
  connection().socket.send(JSON.stringify(message));
  return true;
}

export function received(data) {
  link.received += typeof data === "string" ? data.length : data.size;
}

/* Acknowledges what was applied, if it is much or the last time is long ago. */
export function acknowledge() {
  if (link.received === link.acked) return;
  const moment = now();
  if (link.received - link.acked < ACK_SIZE && moment - link.ackedAt <= ACK_TIME) return;
  const wait = link.ackedAt + ACK_GAP - moment;
  if (wait > 0) {
    clearTimeout(acknowledging);
    acknowledging = setTimeout(acknowledge, wait);
    return;
  }
  if (send({ ack: link.received })) Object.assign(link, { acked: link.received, ackedAt: moment });
}

/* The text of a binary message: the server gzips what is long. */
export async function inflate(blob) {
  return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
