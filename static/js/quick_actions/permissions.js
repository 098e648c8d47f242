/* What the account may not do with the object of a row, and what it is called as the object is: asked when somebody is
   about to, and kept for a while. */

const KEPT = 30_000; // milliseconds, as dashboard/access/rights.py keeps an answer
const MOST = 200;
const known = new Map();

const NOTHING = { denied: {}, titles: {} };

/* By the path of an action why it may not be done, and its title. What cannot be known is offered: its page says no where
   it has to. */
export function standing(link) {
  const url = new URL("may/", link.href).href;
  const now = performance.now();
  const before = known.get(url);
  if (before && now - before.at < KEPT) return before.answer;
  if (known.size >= MOST) known.clear();
  const answer = fetch(url).then((said) => (said.ok ? said.json() : NOTHING)).catch(() => NOTHING);
  known.set(url, { at: now, answer });
  return answer;
}
