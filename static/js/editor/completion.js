/* Completion and hover help from the kind's schema. No line is chosen at first: the typed text counts until an arrow
   key chooses a line or Tab takes the first. */
import {
  acceptCompletion, autocompletion, completionStatus, hoverTooltip, moveCompletionSelection, selectedCompletion,
  startCompletion,
} from "../../vendor/codemirror/codemirror.min.js";
import { visible } from "../page/invisible_characters.js";
import { placeAt } from "./path_at_position.js";
import { helpOf } from "./schema.js";

const WORD = /^[\w./-]*$/;
const BOOST = 50; // required fields come first

/* The text inserted after a name: a new line for a map or list, a space for a value. */
function ending(type, column) {
  const pad = " ".repeat(column);
  if (type === "list") return `:\n${pad}- `;
  return type === "map" ? `:\n${pad}  ` : ": ";
}

function nameOption(field, place, schema, hasColon) {
  const apply = (view, option, from, to) => {
    const insert = hasColon ? field.text : field.text + ending(field.type, place.column);
    view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete", scrollIntoView: true });
    if (!hasColon) startCompletion(view);
  };
  return {
    label: field.name,
    displayLabel: visible(field.name),
    detail: visible(field.required ? `${field.words} · required` : field.words),
    boost: field.required ? BOOST : 0,
    apply,
    info: async () => {
      const hints = await schema.at([...place.path, field.name], "", place.about);
      return hints?.words ? helpOf("", hints) : null;
    },
  };
}

const valueOption = ({ text, words }) => ({ label: text, displayLabel: visible(text), detail: visible(words) });

/* A kind that is chosen before the apiVersion is written also inserts the first one that serves it. */
function kindOption(value, place) {
  const [version] = value.words.split(" or ");
  const apply = (view, option, from, to) => {
    const start = view.state.doc.lineAt(from).from + place.column;
    const changes = [{ from, to, insert: value.text }];
    if (version && !place.about().apiVersion) changes.unshift({ from: start, insert: `apiVersion: ${version}\n${" ".repeat(place.column)}` });
    const shift = changes.length > 1 ? changes[0].insert.length : 0;
    view.dispatch({ changes, selection: { anchor: from + shift + value.text.length }, userEvent: "input.complete", scrollIntoView: true });
  };
  return { ...valueOption(value), apply };
}

async function offered(context, schema) {
  const place = placeAt(context.state, context.pos);
  if (!place) return null;
  const typed = context.state.sliceDoc(place.from, context.pos);
  if (!context.explicit && (!WORD.test(typed) || (!typed && place.part === "name" && !context.state.sliceDoc(0, place.from).endsWith(" ")))) return null;
  const hints = await schema.at(place.path, place.part === "value" ? typed : "", place.about);
  if (!hints || context.aborted) return null;
  return { place, hints, typed };
}

const source = (schema) => async (context) => {
  const about = await offered(context, schema);
  if (!about) return null;
  const { place, hints } = about;
  const usedNames = place.part === "name" ? place.beside() : null;
  const hasColon = place.part === "name" && place.key !== null;
  const options = usedNames && hints.fields.length
    ? hints.fields.filter(({ name }) => !usedNames.has(name)).map((field) => nameOption(field, place, schema, hasColon))
    : hints.values.map((value) => (place.path.length === 1 && place.path[0] === "kind" ? kindOption(value, place) : valueOption(value)));
  const to = hasColon ? place.to : context.pos;
  return options.length ? { from: place.from, to, options, validFor: hints.asks && place.part === "value" ? undefined : WORD } : null;
};

/* Tab takes the chosen line, or else the first. */
export function takeWithTab(view) {
  if (completionStatus(view.state) !== "active") return false;
  if (!selectedCompletion(view.state)) moveCompletionSelection(true)(view);
  return acceptCompletion(view);
}

const hover = (schema) => hoverTooltip(async (view, at) => {
  const place = placeAt(view.state, at);
  const isName = place?.part === "name" && place.key !== null;
  if (!isName) return null;
  const path = [...place.path, place.key];
  const [hints, setBy] = await Promise.all([schema.at(path, "", place.about), schema.setBy(path)]);
  if (!hints || !(hints.words || hints.facts.length || setBy.length)) return null;
  return { pos: place.from, end: place.to, create: () => ({ dom: helpOf(place.key, hints, setBy) }) };
}, { hoverTime: 250 });

export const completion = (schema) => [
  autocompletion({ override: [source(schema)], icons: false, selectOnOpen: false, interactionDelay: 0, maxRenderedOptions: 60 }),
  hover(schema),
];
