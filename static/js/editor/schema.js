/* What the kind's schema says of a field, asked of the server by path when it is first needed, and kept a while: a pod's
   whole schema is a megabyte, what stands at one path a few kilobytes. */
const KEPT = 60_000; // milliseconds

export class Schema {
  #addresses;
  #answers = new Map();
  #edits;

  /* `edits` is "status" where nothing else of the object is edited. */
  constructor({ schema, owner, edits }) {
    this.#addresses = { schema, owner };
    this.#edits = edits ? { edits } : {};
  }

  /* The answer for a path, null where none came. `part` is what is typed, where values in use are looked for. */
  at(path, part = "") {
    return this.#kept(this.#addresses.schema, { path: JSON.stringify(path), part, ...this.#edits });
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
