/* The only ways from text to elements. The Content-Security-Policy lets the browser take text as HTML from the policy
   "deltaboard" alone, which is used here and by htmx, and lets nothing take text as a script. The texts are pages and
   parts of pages of this server, which has escaped what they quote. */
const policy = window.trustedTypes?.createPolicy("deltaboard", { createHTML: (text) => text });

/* The policy for htmx: its own takes plain text. */
export const htmxPolicy = policy ?? { createHTML: (text) => text };

export const trusted = (text) => htmxPolicy.createHTML(text);

/* A document made of the text of a page or of a part of one. */
export const parsePage = (text) => new DOMParser().parseFromString(trusted(text), "text/html");

/* An icon of the page's own, by the id of its symbol. */
export function icon(id) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `#${id}`);
  svg.append(use);
  return svg;
}
