/* xterm.js writes style sheets and style attributes as text, which this site's Content-Security-Policy refuses. Here the
   texts become style sheets and declarations that scripts make, which the policy allows. */

const makeElement = Document.prototype.createElement;

/* An element that is no style sheet, but whose text is one while it exists. */
function styleElement() {
  const element = makeElement.call(document, "template");
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, "textContent", { set: (text) => { sheet.replaceSync(text); }, get: () => "" });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

/* Opens a terminal: all its style sheets are made meanwhile. Colours that are in no palette are attributes of spans. */
export function openTerminal(terminal, holder) {
  document.createElement = (name) => (name === "style" ? styleElement() : makeElement.call(document, name));
  try {
    terminal.open(holder);
  } finally {
    delete document.createElement;
  }
}

HTMLSpanElement.prototype.setAttribute = function setAttribute(name, value) {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};
