/* Start of the scripts of one file, in this order. If one fails, that is reported and the others start, as for separate
   files. So the import of such a script has no effect; its code and state are in its `start`. */
export function startAll(...starts) {
  for (const start of starts) {
    try {
      start();
    } catch (error) {
      reportError(error);
    }
  }
}
