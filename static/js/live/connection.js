/* The socket that hx-ws keeps for #socket: whether it is open, when it was last heard, what it has received.

   Whenever hx-ws connects it asks for what the page shows at that moment: its `url` is made a property that says so. Where
   the page has come to show something else before the socket was open, it says that first.
   What has been applied is acknowledged every 64 kB or 5 s: a page that does not keep up is sent nothing for a while, and
   one that says nothing at all is let go of. */

import { now } from "./clock.js";
import { shown, socketElement, where } from "./page.js";

const ACK_SIZE = 64 * 1024; // units: characters of a text message, bytes of a binary one
const ACK_TIME = 5000; // milliseconds
const BEAT = 1000; // milliseconds between two heartbeats
const DRIFT = 0.5; // milliseconds a beat by which two clocks may part: as much of the quickest beat is forgotten

/* Times are those of clock.js, but `heardAt`, which people read.
   since    the last change of the socket
   heard    the last message
   beat     the last heartbeat that came over it, at `beatAt`; null: none yet
   late     milliseconds that it took longer than the quickest one
   awaited  since when a window is to come; 0: none is
   doubtful whether the page may be far from what is there until then
   final    the close code that ended all trying
   strange  the server follows another view than the page shows */
export const link = { open: false, since: now(), heard: 0, heardAt: Date.now(), received: 0, acked: 0, ackedAt: 0 };
const fresh = { beat: null, beatAt: 0, late: 0, quickest: Infinity, awaited: 0, doubtful: false, final: 0, strange: false };
Object.assign(link, fresh);
let asked = ""; // the address of the last connection

export const connection = () => socketElement()?._htmx?.ws?.connection ?? null;
export const isOpen = () => connection()?.socket?.readyState === WebSocket.OPEN;

function address() {
  const { view: path, seq, beside: besideSeq } = where();
  const query = new URLSearchParams({ path, view: path ? shown.view : "", seq, beside: besideSeq });
  return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/live/?${query}`;
}

/* Have a connection of hx-ws ask for what the page shows when it connects. */
export function direct(held) {
  asked = address();
  Object.defineProperty(held, "url", { configurable: true, get: () => (asked = address()), set() {} });
}

export function opened() {
  const moment = now();
  Object.assign(link, fresh, { open: true, since: moment, heard: moment, received: 0, acked: 0, ackedAt: moment });
  if (address() !== asked) send(where());
}

export function heard() {
  link.heard = now();
  link.heardAt = Date.now();
}

/* A heartbeat that left the server at `sent` seconds of its steady clock. How long one takes nobody knows; but all take
   the quickest one's time at least, and what one takes longer it has waited behind others on a line that is too slow. */
export function beaten(beat) {
  const beatAt = now();
  const took = beatAt - beat.sent * 1000;
  const quickest = Math.min(link.quickest + DRIFT, took);
  Object.assign(link, { beat, beatAt, quickest, late: took - quickest });
}

/* How old what has come is at least: milliseconds. A beat that is overdue is as late as one that came so late. */
export const lateness = (moment) => link.late + Math.max(0, moment - link.beatAt - BEAT);

/* A window is to come, from now on or already. */
export function awaitWindow(doubtful) {
  link.awaited ||= now();
  link.doubtful ||= doubtful;
}

/* It came, or is not needed. */
export function awaitNoMore() {
  Object.assign(link, { awaited: 0, doubtful: false });
}

/* Whether there was a socket to send it on. */
export function send(message) {
  if (!isOpen()) return false;
  connection().socket.send(JSON.stringify(message));
  return true;
}

export function received(data) {
  link.received += typeof data === "string" ? data.length : data.size;
}

/* Say what has been applied, if it is much or long ago. */
export function acknowledge() {
  if (link.received === link.acked) return;
  const moment = now();
  if (link.received - link.acked < ACK_SIZE && moment - link.ackedAt <= ACK_TIME) return;
  if (send({ ack: link.received })) Object.assign(link, { acked: link.received, ackedAt: moment });
}

/* The text of a binary message: the server gzips what is long. */
export async function inflate(blob) {
  return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
}
