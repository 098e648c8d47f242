/* Permissions of the account on the object of a row, and the titles of its actions: fetched when a menu or button needs
   them, and cached for half a minute. */

const KEPT = 30_000; // milliseconds, as dashboard/cluster/access_reviews.py keeps an answer
const MOST = 200;
const known = new Map();

const NOTHING = { denied: {}, titles: {} };

/* By path of an action: why it is denied, and its title. An action whose permission is unknown is offered; its page
   refuses it if need be. */
export function standing(link) {
  const url = new URL("may/", link.href).href;
  const now = performance.now();
  const before = known.get(url);
  if (before && now - before.at < KEPT) return before.answer;
  if (known.size >= MOST) known.clear();
  const answer = fetch(url).then((response) => (response.ok ? response.json() : NOTHING)).catch(() => NOTHING);
  known.set(url, { at: now, answer });
  return answer;
}
