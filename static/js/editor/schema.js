/* Schema of the kind, fetched from the server by path when first needed, and cached for a minute: a pod's whole schema
   has a megabyte, the part at one path a few kilobytes. */
import { visible } from "../page/invisible_characters.js";

const KEPT = 60_000; // milliseconds

export class Schema {
  #addresses;
  #answers = new Map();
  #edits;
  #several;
  #defined = {};

  /* `edits` is "status" where nothing else of the object is edited; `several`: each document has a kind of its own. */
  constructor({ schema, owner, edits, several }) {
    this.#addresses = { schema, owner };
    this.#edits = edits ? { edits } : {};
    this.#several = several !== undefined;
  }

  /* Sets the kinds that the text itself defines, as the check reports them. */
  learn(defined = {}) {
    this.#defined = defined;
  }

  /* The response for a path, null if none came. `part` is the typed text, for values in use; `about` returns the
     document's kind. */
  at(path, part, about) {
    return this.#cached(this.#addresses.schema, { path: JSON.stringify(path), part, ...this.#edits, ...this.#of(about) });
  }

  #of(about) {
    if (!this.#several) return {};
    const { apiVersion = "", kind = "" } = about();
    const by = this.#defined[`${apiVersion} ${kind}`];
    return { apiVersion, kind, ...by && { by } };
  }

  /* Names of the field managers that set the field of the stored object, the last one first. */
  async setBy(path) {
    return (await this.#cached(this.#addresses.owner, { path: JSON.stringify(path) }))?.by ?? [];
  }

  async #cached(address, query) {
    if (!address) return null;
    const url = `${address}?${new URLSearchParams(query)}`;
    const cached = this.#answers.get(url);
    if (cached && performance.now() - cached.askedAt < KEPT) return cached.answer;
    const askedAt = performance.now();
    const answer = ask(url);
    this.#answers.set(url, { askedAt, answer });
    if (!await answer) this.#answers.delete(url);
    return answer;
  }
}

async function ask(url) {
  try {
    const response = await fetch(url);
    return response.ok ? await response.json() : null;
  } catch {
    return null; // typing goes on without help
  }
}

/* A field's name, description and facts as elements. All of it is set as text, so nothing in it is run. */
export function helpOf(name, { words, facts }, setBy = []) {
  const help = document.createElement("div");
  help.className = "help";
  for (const [part, text] of [["name", name], ["words", words], ["facts", facts.join(" · ")], ["facts", setBy.length ? `last set by ${setBy.join(", before that by ")}` : ""]]) {
    if (!text) continue;
    help.append(Object.assign(document.createElement("div"), { className: `help-${part}`, textContent: visible(text) }));
  }
  return help;
}
