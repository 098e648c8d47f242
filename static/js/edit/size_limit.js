/* Whether a form can be sent at all. The server reads no longer ones, and a page that a browser goes back to has lost what
   was typed there: so it is said before anything is sent. */
const MOST_BYTES = 16 * 1024 * 1024; // DATA_UPLOAD_MAX_MEMORY_SIZE of dashboard/settings.py
const MOST_INPUTS = 5000; // DATA_UPLOAD_MAX_NUMBER_FIELDS

/* Why the server would not read it, as a sentence; empty where it would. */
export function tooMuch(data) {
  const entries = [...data].filter(([, value]) => typeof value === "string");
  if (entries.length > MOST_INPUTS) return `This page has ${entries.length.toLocaleString("en")} inputs; the server reads ${MOST_INPUTS.toLocaleString("en")} of them at most.`;
  const breaks = entries.reduce((sum, [, value]) => sum + value.split("\n").length + 1, 0); // sent as CR LF; and two bytes for each input
  const bytes = new Blob(entries.flat()).size + breaks;
  if (bytes <= MOST_BYTES) return "";
  return `What is on this page has ${(bytes / 2 ** 20).toFixed(1)} MiB; the server reads ${MOST_BYTES / 2 ** 20} MiB at most, and the API server takes objects of up to 3 MiB.`;
}
