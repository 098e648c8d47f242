/* Time span of the feed, and of logs: dragging over the histogram, or the arrow keys on it (with Shift to widen, Enter to show,
   Escape to leave), chooses one; the two time fields show it in the browser's time and send it in UTC. Without this
   script they are in UTC. */
export function start() {
  const SVG = "http://www.w3.org/2000/svg";
  const brush = { from: 0, to: 0, anchor: -1, svg: null }; // of the picture's width

  const picture = () => document.getElementById("picture");
  const box = () => picture()?.querySelector("[data-begin]");

  function drawBrush() {
    const holder = picture();
    if (!holder) return;
    if (!brush.svg?.isConnected) {
      brush.svg = document.createElementNS(SVG, "svg");
      brush.svg.setAttribute("class", "brush");
      brush.svg.setAttribute("viewBox", "0 0 100 56");
      brush.svg.setAttribute("preserveAspectRatio", "none");
      brush.svg.setAttribute("aria-hidden", "true");
      brush.svg.append(document.createElementNS(SVG, "rect"));
      holder.append(brush.svg);
    }
    const rect = brush.svg.firstElementChild;
    const [from, to] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
    rect.setAttribute("x", (from * 100).toFixed(3));
    rect.setAttribute("width", ((to - from) * 100).toFixed(3));
    rect.setAttribute("height", "56");
  }

  function clearBrush() {
    brush.svg?.remove();
    Object.assign(brush, { from: 0, to: 0, anchor: -1, svg: null });
  }

  /* Whole seconds, so that the address can be read. */
  function chosen() {
    const begin = Date.parse(box().dataset.begin);
    const width = Date.parse(box().dataset.end) - begin;
    const [from, to] = [Math.min(brush.from, brush.to), Math.max(brush.from, brush.to)];
    const start = Math.floor((begin + from * width) / 1000);
    return [start, Math.max(start + 1, Math.ceil((begin + to * width) / 1000))].map((seconds) => new Date(seconds * 1000));
  }

  const iso = (date) => date.toISOString().replace(".000Z", "Z");

  function show([from, to]) {
    const address = new URL(location.href);
    for (const name of ["last", "since", "page"]) address.searchParams.delete(name);
    address.searchParams.set("from", iso(from));
    address.searchParams.set("to", iso(to));
    location.assign(address.href.replaceAll("%3A", ":"));
  }

  const place = (event) => {
    const { left, width } = picture().getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - left) / width));
  };

  document.addEventListener("pointerdown", (event) => {
    const holder = event.target.closest?.("#picture");
    if (!holder || event.button !== 0 || event.target.closest("a")) return;
    holder.setPointerCapture(event.pointerId);
    brush.anchor = brush.from = brush.to = place(event);
    holder.focus({ preventScroll: true });
    event.preventDefault();
  });

  document.addEventListener("pointermove", (event) => {
    if (brush.anchor < 0) return;
    brush.to = place(event);
    drawBrush();
  });

  document.addEventListener("pointerup", () => {
    if (brush.anchor < 0) return;
    const wide = Math.abs(brush.to - brush.from) * picture().clientWidth > 4;
    brush.anchor = -1;
    if (wide) show(chosen());
    else clearBrush();
  });

  document.addEventListener("pointercancel", clearBrush);

  function sayBrush() {
    const words = chosen().map((date) => date.toLocaleTimeString("en-GB")).join(" to ");
    picture().setAttribute("aria-label", `Chosen: ${words}. Enter shows this span.`);
  }

  function step(key, wider) {
    const { begin, end, step: seconds } = box().dataset;
    const size = (1000 * Number(seconds)) / (Date.parse(end) - Date.parse(begin));
    if (!brush.svg) Object.assign(brush, { from: 1 - size, to: 1 });
    else {
      const move = key === "ArrowLeft" ? -size : size;
      if (!wider && (brush.from + move < -1e-6 || brush.to + move > 1 + 1e-6)) return;
      if (wider && key === "ArrowLeft") brush.from = Math.max(0, brush.from - size);
      else if (wider) brush.to = Math.min(1, brush.to + size);
      else Object.assign(brush, { from: brush.from + move, to: brush.to + move });
    }
    drawBrush();
    sayBrush();
  }

  document.addEventListener("keydown", (event) => {
    if (event.target.id !== "picture" || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") step(event.key, event.shiftKey);
    else if (event.key === "Enter" && brush.svg) show(chosen());
    else if (event.key === "Escape" && brush.svg) {
      clearBrush();
      ready();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }, true);

  /* ---- the time fields, in the browser's time ---- */

  const two = (value) => String(value).padStart(2, "0");

  function localField(date) {
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  }

  function ready() {
    const holder = picture();
    if (holder) {
      holder.tabIndex = 0;
      holder.setAttribute("role", "group");
      holder.setAttribute("aria-label", "Histogram. Drag over it, or press the arrow keys, to choose a span of time.");
    }
    for (const field of document.querySelectorAll("#span input[data-utc]")) {
      const moment = Date.parse(`${field.defaultValue}Z`);
      if (!Number.isNaN(moment)) field.value = localField(new Date(moment));
    }
    const zone = document.querySelector("#span [data-zone]");
    if (zone) zone.textContent = "your time";
  }

  document.addEventListener("formdata", ({ target, formData }) => {
    if (target.id !== "span") return;
    for (const name of ["from", "to"]) {
      const moment = new Date(formData.get(name));
      if (Number.isNaN(moment.getTime())) formData.delete(name);
      else formData.set(name, iso(moment));
    }
  });

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id !== "socket") ready();
  });
  ready();
}
