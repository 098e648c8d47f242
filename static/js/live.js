/* Keeps an open page true: the socket of hx-ws, watched, acknowledged and renewed.

   Server to browser: {"content", "view", "seq", "after"} is a frame (hx-ws swaps `content`; `after` names the state it
   builds upon and is missing where it replaces everything), {"fetch", "view"} stands for a frame that would be too big,
   {"view", "seq", "keys", "path"} says what the socket follows, and {"beat": {…}} comes every second. Browser to server:
   {"view": path, "seq", "beside": seq} and {"ack": units received}.

   A list may show an opened object beside it (#drawer, see drawer.js): a second view, with a seq of its own, on the same
   socket. Its hello carries `beside`.

   body[data-live] is offline while there is no socket, stale while the page may not show what the cluster has, and
   live only from a beat or frame. Events on document for other scripts: deltaboard:beat (detail: the beat, with
   `offset` seconds to add to the browser's clock), deltaboard:state (state, words), deltaboard:frame (view, seq, whole),
   deltaboard:rates (the overview's chart).

   base.html's htmx-config needs: ws.reconnectCodes [1000,1001,1005,1006,1011,4012], ws.reconnectMaxDelay 3000,
   extensions "ws, place". Scripts, deferred, in this order: htmx, hx-ws, place, live. */
(() => {
  "use strict";

  const SILENCE = 3000; // milliseconds without a word until the page counts as stale
  const PATIENCE = 10000; // milliseconds a handshake may take
  const ACK_SIZE = 64 * 1024;
  const ACK_TIME = 5000;
  const FINAL = {
    4400: "The server did not understand what this page asked for. Reload the page.",
    4403: "The server does not let this page follow changes. Sign in again or reload the page.",
    4404: "The server knows no such page any more. What you see is no longer kept up to date.",
    4429: "This page asked the server for too much. Reload the page.",
  };

  const OFTEN = 500; // milliseconds between two views that are asked for, at least: the server allows two a second
  const shown = { path: "", view: "", seq: "", keys: [] }; // what the page shows; `keys` decide whether it is live
  const beside = { view: "", seq: "" }; // the opened object, of the same kind, or nothing
  const link = { open: false, since: performance.now(), heard: 0, received: 0, acked: 0, ackedAt: 0, final: 0, strange: false };
  const last = { beat: null, at: Date.now(), asked: -Infinity, asking: 0, followed: -Infinity, following: 0, fetched: -Infinity, fetching: 0, renewed: -Infinity, state: "", words: "" };

  const socketElement = () => document.getElementById("socket");
  const connection = () => socketElement()?._htmx?.ws?.connection ?? null;
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`deltaboard:${name}`, { detail }));
  const isOpen = () => connection()?.socket?.readyState === WebSocket.OPEN;

  function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  function pathNow() {
    return location.pathname + location.search;
  }

  function address() {
    const query = new URLSearchParams({ path: shown.path, view: shown.view, seq: shown.seq, beside: beside.seq });
    return `${location.protocol === "https:" ? "wss:" : "ws:"}//${location.host}/live/?${query}`;
  }

  function send(message) {
    if (!isOpen()) return false;
    connection().socket.send(JSON.stringify(message));
    return true;
  }

  /* ---- what the page shows ---- */

  const drawn = () => document.querySelector("#drawer [data-view][data-seq]");

  /* The part of the page that shows a view. */
  const partOf = (view) => (view === shown.view ? shown : view && view === beside.view ? beside : null);
  const isWhole = () => (!shown.view || shown.seq) && (!beside.view || beside.seq);
  const where = () => ({ view: shown.path, seq: shown.seq, beside: beside.seq });

  function rendered(page = document) {
    const found = [...page.querySelectorAll("main [data-view][data-seq], main[data-view][data-seq]")];
    const element = found.find((each) => !each.closest("#drawer"));
    if (element) return { view: element.dataset.view, seq: element.dataset.seq, element };
    const query = new URL(page.getElementById("socket")?.getAttribute("hx-ws:connect") ?? "/", location.href).searchParams;
    return { view: query.get("view") ?? "", seq: query.get("seq") ?? "", element: null };
  }

  function adopt() {
    const { view, seq } = rendered();
    Object.assign(shown, { view, seq, path: view ? pathNow() : "" }); // without a view: the heartbeat only
    adoptBeside();
  }

  /* Whether another object is open, or another rendering of it. */
  function adoptBeside() {
    const { view = "", seq = "" } = drawn()?.dataset ?? {};
    if (view === beside.view && seq === beside.seq) return false;
    Object.assign(beside, { view, seq });
    return true;
  }

  /* A page of another view, or another rendering of the same one, has been swapped in by an ordinary request. */
  function follow() {
    const { view, seq } = rendered();
    const opened = adoptBeside();
    if (view === shown.view && seq === shown.seq && !opened) return;
    if (view !== shown.view) Object.assign(shown, { view, keys: [] });
    shown.path = pathNow();
    shown.seq = seq;
    clearTimeout(last.asking);
    clearTimeout(last.following);
    const wait = opened ? last.followed + OFTEN - performance.now() : 0;
    if (wait > 0) last.following = setTimeout(tellWhere, wait);
    else tellWhere();
  }

  function tellWhere() {
    last.followed = performance.now();
    send(where());
  }

  /* Something did not fit: have the whole window again, at most every two seconds, but in any case. Until it comes
     `seq` is empty, nothing that is on its way fits, and the page is not live. */
  function askAgain() {
    const wait = last.asked + 2000 - performance.now();
    clearTimeout(last.asking);
    if (wait > 0) {
      last.asking = setTimeout(askAgain, wait);
      return;
    }
    last.asked = performance.now();
    shown.seq = beside.seq = "";
    send(where());
  }

  /* Too big for the socket: the page fetches its content over HTTP, every two seconds until it has it. */
  function fetchPage(part = shown) {
    part.seq = "";
    judge();
    if (!last.fetching) last.fetching = setTimeout(fetchNow, Math.max(0, last.fetched + 2000 - performance.now()));
  }

  async function fetchNow() {
    last.fetched = performance.now();
    const path = shown.path;
    const wanted = () => shown.path === path && !isWhole(); // else a window came meanwhile, or another page
    try {
      const text = wanted() ? await pageText(path) : "";
      if (wanted() && text) await replaceMain(text);
    } catch (error) {
      console.warn(`${path} could not be fetched: ${error.message}`);
    }
    last.fetching = 0;
    if (!isWhole()) fetchPage(shown.view && !shown.seq ? shown : beside);
  }

  /* Any answer but a page, of a proxy's sign-in perhaps, is as good as none. */
  async function pageText(path) {
    const answer = await fetch(path, { headers: { Accept: "text/html" }, signal: AbortSignal.timeout(PATIENCE) });
    return answer.ok ? answer.text() : "";
  }

  /* `follow` does the rest. Where the page only listens to what it is about, as the editor does, what was typed stays. */
  async function replaceMain(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const { view, element } = rendered(page);
    const listening = rendered().element?.closest("[hidden]");
    const select = listening ? `#${CSS.escape(element?.id ?? "")}` : "#main";
    const target = document.querySelector(listening ? `#${CSS.escape(rendered().element.id)}` : "#main");
    if (view !== shown.view || !page.getElementById("main") || !target || (listening && !element)) return;
    if (!element) socketElement().setAttribute("hx-ws:connect", page.getElementById("socket").getAttribute("hx-ws:connect"));
    await htmx.swap({ text, target, select, swap: "outerMorph", sourceElement: document.body });
  }

  /* ---- state and words ---- */

  function show(state, words) {
    if (state === last.state && words === last.words) return;
    Object.assign(last, { state, words });
    document.body.dataset.live = state;
    showWords(words);
    tell("state", { state, words });
  }

  function showWords(words) {
    const banner = document.getElementById("banner");
    if (banner) {
      setText(banner.querySelector("[data-words]") ?? banner, words);
      banner.hidden = !words;
    }
  }

  const two = (number) => String(number).padStart(2, "0");

  function timeOfDay(milliseconds) {
    const date = new Date(milliseconds);
    return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  }

  /* A problem of the beat as a sentence in local time: {text with {since}, since, retry_at, title}. */
  function problemWords(problem, now) {
    const since = problem.since ? timeOfDay(problem.since * 1000) : "";
    let words = problem.text.replace("{since}", since);
    if (problem.retry_at) {
      const seconds = Math.round(problem.retry_at - now);
      words += seconds > 0 ? ` Trying again in ${seconds} s.` : " Trying again now.";
    }
    return words;
  }

  /* The problems of the kinds that this page shows, or of another part: what beside kinds a page may show. What may not be listed spoils its own page, not those of many kinds,
     unless nothing at all may be. */
  function problemsOf(beat) {
    const keys = shown.keys.length ? shown.keys : Object.keys(beat.problems);
    const found = keys.map((key) => beat.problems[key] ?? beat.parts?.[key]).filter(Boolean);
    return found.length < keys.length ? found.filter((problem) => problem.state !== "forbidden") : found;
  }

  function wordsOf(beat, problems) {
    if (beat.problem) return beat.problem;
    const now = beat.now + (performance.now() - link.heard) / 1000;
    const [first] = problems;
    const same = problems.every((problem) => problem.state === first.state);
    const words = problemWords(first, now);
    const nothing = problems.length === shown.keys.length && problems.every((problem) => problem.state === "forbidden");
    if (nothing && problems.length > 1) return `Nothing can be read. ${words}`;
    if (shown.keys.length === 1 || (same && problems.length === shown.keys.length)) return words;
    return `${problems.map((problem) => problem.title).join(", ")}: ${words}`;
  }

  function judge() {
    const beat = last.beat;
    if (!link.open || !beat || performance.now() - link.heard > SILENCE) return;
    if (link.strange) return show("stale", "This page and its server disagree on what it shows. Reload the page.");
    if (beat.deaf) return show("stale", beat.problem);
    if (!isWhole()) return show("stale", "What you see is not complete. The rest is being fetched.");
    const problems = problemsOf(beat);
    if (problems.length) show("stale", wordsOf(beat, problems));
    else show("live", "");
  }

  function since() {
    return `since ${timeOfDay(last.at)}`;
  }

  function offline() {
    if (link.final) show("offline", FINAL[link.final]);
    else show("offline", `No connection to Deltaboard ${since()}. What you see is from then. Trying again.`);
  }

  function silent() {
    show("stale", `Deltaboard has not been heard ${since()}. What you see is from then. Connecting again.`);
  }

  /* ---- beats, frames, acknowledgements ---- */

  const number = new Intl.NumberFormat("en-GB");

  function showCounts(beat) {
    for (const element of document.querySelectorAll("[data-count]")) {
      const count = beat.counts[element.dataset.count];
      if (count !== undefined) setText(element, count === null ? "–" : number.format(count));
    }
    for (const element of document.querySelectorAll("[data-wrong]")) {
      const count = beat.wrong[element.dataset.wrong];
      if (count !== undefined) setText(element, count ? number.format(count) : "");
    }
  }

  /* When the API server was last heard of, for what this page shows: the oldest of its kinds. */
  function clusterHeard(beat) {
    const moments = shown.keys.map((key) => beat.heard_by[key]).filter((moment) => moment !== null && moment !== undefined);
    return moments.length ? Math.min(...moments) : beat.heard;
  }

  function heard() {
    link.heard = performance.now();
    last.at = Date.now();
  }

  function onBeat(beat) {
    heard();
    last.beat = beat;
    beat.offset = beat.now - Date.now() / 1000;
    beat.heard = clusterHeard(beat);
    showCounts(beat);
    tell("beat", beat);
    judge();
  }

  /* What the socket follows from here on. An answer to a question that has been overtaken names another view. */
  function onHello(hello) {
    if (hello.path !== shown.path) return;
    if (hello.beside) {
      if (hello.view !== beside.view) link.strange = true;
      else if (hello.seq) beside.seq = hello.seq;
      return;
    }
    link.strange = Boolean(shown.view) && hello.view !== shown.view;
    shown.keys = hello.keys;
    if (hello.seq) shown.seq = hello.seq;
  }

  function onFrame(frame) {
    heard();
    const part = partOf(frame.view);
    if (!part) return;
    part.seq = frame.seq;
    const element = part === beside ? drawn() : rendered().element;
    if (element?.dataset.view === frame.view) element.dataset.seq = frame.seq;
    if (frame.rates) tell("rates", frame.rates);
    tell("frame", { view: frame.view, seq: frame.seq, whole: frame.after === undefined, beside: part === beside });
    judge();
  }

  function acknowledge(always) {
    if (link.received === link.acked) return;
    if (!always && link.received - link.acked < ACK_SIZE) return;
    if (send({ ack: link.received })) Object.assign(link, { acked: link.received, ackedAt: performance.now() });
  }

  async function inflate(blob) {
    return new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }

  function take(detail, text) {
    const message = detail.message;
    const parsed = JSON.parse(text);
    message.data = text;
    message.json = () => Promise.resolve(parsed); // parsed once, here; hx-ws asks for it again
    message.deltaboard = parsed;
    if (parsed.content === undefined) return;
    const part = partOf(parsed.view);
    const wanted = part !== null;
    const whole = parsed.after === undefined;
    const fits = whole || parsed.after === part?.seq;
    if (part === shown && whole) clearTimeout(last.asking);
    if (wanted && !fits) askAgain();
    if (!wanted || !fits) detail.cancelled = true;
  }

  document.addEventListener("htmx:ws:before:message:incoming", ({ detail }) => {
    const data = detail.message.data;
    link.received += typeof data === "string" ? data.length : data.size;
    if (typeof data === "string") take(detail, data);
    else detail.waitUntil(inflate(data).then((text) => take(detail, text)));
  });

  document.addEventListener("htmx:ws:after:message:incoming", ({ detail }) => {
    const message = detail.message.deltaboard;
    if (message?.beat) onBeat(message.beat);
    else if (message?.content !== undefined) onFrame(message);
    else if (message?.keys) onHello(message);
    else if (message?.fetch && partOf(message.view)) fetchPage(partOf(message.view));
    acknowledge(false);
  });

  document.addEventListener("deltaboard:lost", askAgain);
  document.addEventListener("deltaboard:refresh", () => send({ ...where(), seq: "" }));
  document.addEventListener("deltaboard:follow", follow);

  /* ---- the socket's life ---- */

  function watch(held) {
    Object.defineProperty(held, "url", { configurable: true, get: address, set() {} });
  }

  function opened() {
    Object.assign(link, {
      open: true, since: performance.now(), heard: performance.now(), received: 0, acked: 0, ackedAt: performance.now(),
      final: 0, strange: false,
    });
    last.beat = null;
  }

  document.addEventListener("htmx:ws:before:connection", ({ detail }) => {
    link.since = performance.now();
    watch(detail.connection);
  });

  document.addEventListener("htmx:ws:after:connection", opened);

  document.addEventListener("htmx:ws:close", ({ detail }) => {
    link.open = false;
    if (detail.reason !== "closed") return;
    link.final = FINAL[detail.code] ? detail.code : 0;
    offline();
  });

  document.addEventListener("htmx:ws:error", () => {
    if (isOpen()) askAgain(); // a frame could not be applied
  });

  function renew() {
    if (document.hidden || link.final || !socketElement()) return;
    last.renewed = performance.now();
    link.since = performance.now();
    htmx.process(socketElement(), true);
  }

  function look() {
    const now = performance.now();
    const state = connection()?.socket?.readyState;
    if (state === WebSocket.OPEN && link.open) {
      if (now - link.heard > SILENCE) {
        silent();
        if (now - last.renewed > SILENCE) renew();
      } else judge();
      if (now - link.ackedAt > ACK_TIME) acknowledge(true);
      return;
    }
    if (last.state !== "stale" || now - link.since > SILENCE) offline();
    const waiting = state === WebSocket.CONNECTING ? PATIENCE : SILENCE * 2;
    if (now - link.since > waiting && now - last.renewed > SILENCE) renew();
  }

  function distrust() {
    silent();
    renew();
  }

  window.addEventListener("pageshow", (event) => {
    if (event.persisted) distrust();
  });
  window.addEventListener("online", distrust);
  document.addEventListener("resume", distrust);
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    if (link.open && performance.now() - link.heard > SILENCE / 2) distrust();
    else setTimeout(() => connection()?.socket?.readyState > WebSocket.OPEN && renew(), 200);
  });

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement === socketElement()) return;
    showWords(last.words); // the banner may be a new one
    follow();
  });

  adopt();
  last.state = document.body.dataset.live;
  const early = connection();
  if (early) {
    watch(early);
    if (isOpen()) opened();
  }
  if (socketElement()) {
    htmx.process(socketElement());
    setInterval(look, 500);
  }
})();
