/* Size limit of a form. The server rejects larger ones, and the page that the browser goes back to then has lost what
   was typed: so the page says it before anything is sent. */
const MOST_BYTES = 16 * 1024 * 1024; // DATA_UPLOAD_MAX_MEMORY_SIZE of dashboard/settings.py
const MOST_INPUTS = 5000; // DATA_UPLOAD_MAX_NUMBER_FIELDS

/* Why the server would reject the data, as a sentence; empty if it would not. */
export function tooMuch(data) {
  const entries = [...data].filter(([, value]) => typeof value === "string");
  if (entries.length > MOST_INPUTS) return `This page has ${entries.length.toLocaleString("en")} inputs; the server accepts at most ${MOST_INPUTS.toLocaleString("en")}.`;
  const breaks = entries.reduce((sum, [, value]) => sum + value.split("\n").length + 1, 0); // sent as CR LF; each input adds two bytes
  const bytes = new Blob(entries.flat()).size + breaks;
  if (bytes <= MOST_BYTES) return "";
  return `The content of this page has ${(bytes / 2 ** 20).toFixed(1)} MiB; the server accepts at most ${MOST_BYTES / 2 ** 20} MiB, and the API server objects of up to 3 MiB.`;
}
