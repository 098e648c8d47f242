/* Records what a page says, each time that it says something else: [Unix seconds, body[data-live], parts].

   Times are the machine's, so that they can be compared with those of other programs on it. `parts` has what is there
   of: list (rows as [uid, version, name, status, restarts or port], total of all, facets), struck (uids of rows that
   are struck out), detail ([uid, version], null where it is gone), tiles and counts (numbers by kind). What is leaving
   has a dash for its version, see etcd_history.py. Where the browser had no time for the page, that is recorded, too. */
(() => {
  const EVERY = 100; // milliseconds
  const shots = [];
  const stalls = []; // [from, to], Unix seconds
  let looked = Date.now();
  let last = "";

  const number = (text) => (/\d/.test(text) ? Number(text.replaceAll(",", "")) : null);
  const text = (row, column) => row.querySelector(`.c-${column}`)?.textContent.trim();

  function listPart(list) {
    const rows = [...list.querySelectorAll("tbody tr[data-name]:not([data-gone])")].map((row) => {
      const status = text(row, "status");
      const version = status === "Terminating" ? "-" : row.dataset.version;
      return [row.id.slice("row-".length), version, text(row, "name"), status, text(row, "restarts") ?? text(row, "port")];
    });
    const facets = [...list.querySelectorAll(".facet-list .facet")].map((facet) => [
      facet.querySelector("svg").nextSibling.textContent.trim(), number(facet.querySelector("b").textContent),
    ]);
    return { rows, total: number(list.querySelector(".total").firstChild?.textContent ?? ""), facets };
  }

  function detailPart(detail) {
    if (detail.hasAttribute("data-gone")) return null;
    const leaves = detail.querySelector(":scope > .note.warn") !== null;
    return [detail.dataset.uid, leaves ? "-" : detail.dataset.version];
  }

  function parts() {
    const found = {};
    const list = document.getElementById("list");
    if (list) {
      found.list = listPart(list);
      found.struck = [...list.querySelectorAll("tr[data-gone]")].map((row) => row.id.slice("row-".length));
    }
    const detail = document.querySelector("main article.detail");
    if (detail) found.detail = detailPart(detail);
    const numbers = (selector, key, value) => Object.fromEntries(
      [...document.querySelectorAll(selector)].map((element) => [key(element), number(value(element).textContent)]),
    );
    found.tiles = numbers(".tile", (tile) => tile.id.slice("tile-".length), (tile) => tile.querySelector(".big"));
    found.counts = numbers(".side [data-count]", (count) => count.dataset.count, (count) => count);
    return found;
  }

  function look() {
    const live = document.body.dataset.live;
    const seen = parts();
    const now = JSON.stringify([live, seen]);
    if (now === last) return;
    last = now;
    shots.push([Date.now() / 1000, live, seen]);
  }

  for (const name of ["state", "frame", "beat"]) document.addEventListener(`deltaboard:${name}`, look);
  setInterval(() => {
    const now = Date.now();
    if (now - looked > 2 * EVERY) stalls.push([(looked + EVERY) / 1000, now / 1000]);
    looked = now;
    look();
  }, EVERY);
  look();
  window.recording = {
    now: () => [document.body.dataset.live, parts()],
    take: () => { look(); return [Date.now() / 1000, shots.splice(0), stalls.splice(0)]; },
  };
})();
