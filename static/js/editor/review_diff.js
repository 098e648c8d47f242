/* Side-by-side difference of the review: what is live, and what would be stored. Narrow screens, and pages without this
   script, keep the server's difference in one column. */
import { Decoration, EditorState, EditorView, keymap, lineNumbers, MergeView, search, searchKeymap, yaml } from "../../vendor/codemirror/codemirror.min.js";
import { theme } from "./theme.js";
import { visibleCharacters } from "./invisible_characters.js";

const WIDE = matchMedia("(min-width: 1000px)");
const MOST = 1_000_000; // characters of both; beyond that the server's difference stays
const COLLAPSED = { margin: 3, minSize: 4 };
const DIFF = { scanLimit: 5000, timeout: 500 };

const section = document.querySelector("[data-compare]");
const plain = section.querySelector(".diff");
const all = section.querySelector("[data-compare-all]");
const byServer = section.dataset.byServer.split(" ").filter(Boolean).map(Number); // lines of what would be stored
const [was, now] = [...section.querySelectorAll("textarea")].map(({ defaultValue }) => defaultValue.trimEnd());
let shown = null;

/* Lines that the API server sets itself are labelled, as in the server's difference. */
const setByServer = EditorView.decorations.of((view) => Decoration.set(byServer.map((number) => Decoration.line({
  attributes: { class: "cm-by-server", "data-by": "set by the API server" },
}).range(view.state.doc.line(number).from))));

const side = (label) => [
  lineNumbers(), yaml(), theme, visibleCharacters, search({ top: true }), keymap.of(searchKeymap), EditorState.readOnly.of(true),
  EditorState.phrases.of({ "$ unchanged lines": "$ lines as they were" }), EditorView.editable.of(false),
  EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", tabindex: "0" }),
];

function host() {
  const place = Object.assign(document.createElement("div"), { className: "compare-host" });
  plain.before(place);
  return place.attachShadow({ mode: "open" });
}

function show(whole) {
  const root = shown?.root ?? host();
  shown?.view.destroy();
  const view = new MergeView({
    a: { doc: was, extensions: side(section.dataset.was ?? "Live now") },
    b: { doc: now, extensions: [...side(section.dataset.now ?? "What would be stored"), setByServer] },
    root, parent: root, gutter: true, highlightChanges: true, diffConfig: DIFF,
    ...(whole ? {} : { collapseUnchanged: COLLAPSED }),
  });
  shown = { root, view };
}

function fit() {
  const isWide = WIDE.matches && was.length + now.length <= MOST;
  if (isWide && !shown) show(false);
  section.toggleAttribute("data-compare-side", isWide);
}

all.addEventListener("click", () => {
  const whole = all.getAttribute("aria-pressed") !== "true";
  all.setAttribute("aria-pressed", String(whole));
  show(whole);
});
WIDE.addEventListener("change", fit);
fit();
