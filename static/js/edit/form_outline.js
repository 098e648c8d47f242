/* Outline of a large form: it marks the section that is at the top of the window, and a click opens the section and jumps
   to it. Without this script its links jump, too. */

const holder = document.getElementById("edit-form");
const BELOW = 24; // pixels below the place to which a link jumps, in which a section counts as the one that is read

const outline = () => document.getElementById("form-outline");
const linksOf = (nav) => [...nav.querySelectorAll("a[href^='#field.']")];
const targetOf = (link) => document.getElementById(link.getAttribute("href").slice(1));

let jumped = null; // the link whose section was jumped to, which may be too near the end to get to the top
let jumpedTo = 0;

function current(nav) {
  if (jumped && jumped.isConnected && Math.abs(scrollY - jumpedTo) < 2) return jumped;
  jumped = null;
  const links = linksOf(nav).filter((link) => targetOf(link)?.checkVisibility());
  const page = document.documentElement;
  if (scrollY > 0 && scrollY + innerHeight >= page.scrollHeight - 1) return links.at(-1);
  const begin = parseFloat(getComputedStyle(page).scrollPaddingTop) + BELOW;
  return links.findLast((link, index) => {
    const target = targetOf(link);
    return index === 0 || target.getBoundingClientRect().top <= begin + parseFloat(getComputedStyle(target).scrollMarginTop);
  });
}

/* `always`: also scrolls the outline where the section is the same as before. */
function mark(always = false) {
  const nav = outline();
  if (!nav || !nav.checkVisibility()) return;
  const now = current(nav);
  const before = nav.querySelector("[aria-current]");
  if (now === before && !always) return;
  before?.removeAttribute("aria-current");
  if (!now) return;
  now.setAttribute("aria-current", "location");
  const [box, item] = [nav.getBoundingClientRect(), now.getBoundingClientRect()];
  nav.scrollTop += Math.min(0, item.top - box.top - 8) + Math.max(0, item.bottom - box.bottom + 8);
  nav.scrollLeft += Math.min(0, item.left - box.left - 8) + Math.max(0, item.right - box.right + 8);
}

/* Opens the section and all around it, and moves the focus there: the next Tab leads to its first field. */
function jump(link) {
  const target = targetOf(link);
  if (!target) return;
  for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  const branch = target.querySelector(":scope > details");
  if (branch) branch.open = true;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "start", behavior: "instant" });
  [jumped, jumpedTo] = [link, scrollY];
  mark();
}

let waiting = false;

function soon({ type } = {}) {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    mark(type === "resize");
  });
}

/* To be called when the form was drawn anew. */
export const refreshOutline = () => soon();

if (holder) {
  holder.addEventListener("click", (event) => {
    const link = event.target.closest("#form-outline a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation(); // the form's own links focus a field
    jump(link);
  });
  holder.addEventListener("toggle", soon, true);
  window.addEventListener("scroll", soon, { passive: true });
  window.addEventListener("resize", soon);
  soon();
}
