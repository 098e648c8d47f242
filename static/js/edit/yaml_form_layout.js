/* YAML and form beside each other: on wide screens the YAML stays in view, as tall as the window; on narrow ones the two
   are tabs. Both stay in the page, so that nothing typed is lost. Without this script the form is below the YAML, and the
   tabs are links to both. */

const tabs = document.getElementById("part-tabs");
const both = document.querySelector(".editor-and-form");
const narrow = matchMedia("screen and (max-width: 1164px)"); // as in writes.css
const CHOSEN = "deltaboard:edit-part"; // in this tab of the browser, until it is closed
const links = [...(tabs?.querySelectorAll("a") ?? [])];
const panelOf = (link) => document.querySelector(link.hash);

let chosen = links.at(-1); // the form: YAML is a burden on a phone

function kept() {
  try {
    return sessionStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

function keep(id) {
  try {
    sessionStorage.setItem(CHOSEN, id);
  } catch {
    // it is forgotten with the page
  }
}

function draw() {
  const apart = narrow.matches;
  both.toggleAttribute("data-parts", true);
  if (apart) tabs.setAttribute("role", "tablist");
  else tabs.removeAttribute("role");
  for (const link of links) {
    const [panel, isChosen] = [panelOf(link), link === chosen];
    panel.hidden = apart && !isChosen;
    const roles = [[link, { role: "tab", "aria-selected": String(isChosen), "aria-controls": panel.id, tabindex: isChosen ? "0" : "-1" }],
      [panel, { role: "tabpanel", "aria-labelledby": link.id }]];
    for (const [element, attributes] of roles) {
      for (const [name, value] of Object.entries(attributes)) {
        if (apart) element.setAttribute(name, value);
        else element.removeAttribute(name);
      }
    }
  }
}

function choose(link) {
  chosen = link;
  draw();
  window.dispatchEvent(new Event("resize")); // what was hidden had no size
}

/* Shows the part that holds the element, where the other one is shown alone. */
export function showPartOf(element) {
  if (!tabs || !narrow.matches) return;
  const link = links.find((each) => panelOf(each).contains(element));
  if (link && link !== chosen) choose(link);
}

/* Repeats the state of the YAML in its tab, which is the only place where somebody in the form sees it. */
export function showStateInTab(words, isValid) {
  const place = tabs?.querySelector("[data-state]");
  if (!place) return;
  place.textContent = isValid ? "" : words;
  place.className = "facet bad";
}

function byKey(event) {
  const now = links.indexOf(document.activeElement);
  const last = links.length - 1;
  const next = { ArrowLeft: now ? now - 1 : last, ArrowRight: now === last ? 0 : now + 1, Home: 0, End: last }[event.key];
  if (now < 0 || next === undefined || !narrow.matches) return;
  event.preventDefault();
  take(links[next]);
  links[next].focus();
}

function take(link) {
  choose(link);
  keep(link.id);
}

/* The height that is left for the YAML below what is above it: none of it is below the end of the window. */
function fit() {
  if (narrow.matches) return;
  const top = Math.max(0, Math.round(both.getBoundingClientRect().top));
  both.style.setProperty("--from", `${Math.min(top, Math.round(innerHeight / 2))}px`);
}

if (tabs) {
  if (!both.querySelector("#edit-form :is(.field, .group)")) [chosen] = links;
  chosen = links.find(({ id }) => id === kept()) ?? chosen;
  draw();
  narrow.addEventListener("change", draw);
  tabs.addEventListener("keydown", byKey);
  for (const link of links) {
    link.addEventListener("click", (event) => {
      if (!narrow.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      take(link);
    });
  }
}

if (both) {
  fit();
  window.addEventListener("scroll", () => requestAnimationFrame(fit), { passive: true });
  window.addEventListener("resize", fit);
  new ResizeObserver(fit).observe(both.parentElement); // notes come and go above it
}
