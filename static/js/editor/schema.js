/* What the kind's schema says of a field, asked of the server by path when it is first needed, and kept a while: a pod's
   whole schema is a megabyte, what stands at one path a few kilobytes. */
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

  /* Which kinds the text defines itself, as the check of it says. */
  learn(defined = {}) {
    this.#defined = defined;
  }

  /* The answer for a path, null where none came. `part` is what is typed, where values in use are looked for; `about`
     says of which kind the document is. */
  at(path, part, about) {
    return this.#kept(this.#addresses.schema, { path: JSON.stringify(path), part, ...this.#edits, ...this.#of(about) });
  }

  #of(about) {
    if (!this.#several) return {};
    const { apiVersion = "", kind = "" } = about();
    const by = this.#defined[`${apiVersion} ${kind}`];
    return { apiVersion, kind, ...by && { by } };
  }

  /* Who set the field of the object as it is: names of field managers, the last first. */
  async setBy(path) {
    return (await this.#kept(this.#addresses.owner, { path: JSON.stringify(path) }))?.by ?? [];
  }

  async #kept(address, query) {
    if (!address) return null;
    const url = `${address}?${new URLSearchParams(query)}`;
    const known = this.#answers.get(url);
    if (known && performance.now() - known.asked < KEPT) return known.answer;
    const asked = performance.now();
    const answer = ask(url);
    this.#answers.set(url, { asked, answer });
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

/* A field's name, what it is for and what it may be, as text: whatever it holds is shown, nothing of it is run. */
export function helpOf(name, { words, facts }, setBy = []) {
  const help = document.createElement("div");
  help.className = "help";
  for (const [part, text] of [["name", name], ["words", words], ["facts", facts.join(" · ")], ["facts", setBy.length ? `last set by ${setBy.join(", before that by ")}` : ""]]) {
    if (!text) continue;
    help.append(Object.assign(document.createElement("div"), { className: `help-${part}`, textContent: text }));
  }
  return help;
}
