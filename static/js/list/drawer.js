/* Drawer of a list: a click on a row opens its details beside the list, and sets ?open=namespace/name in the address.
   The tab of its logs is &tab=logs: logs/logs.js draws their lines. The next row is opened on the same tab.

   Without this script a name links to the details page, and the server renders an address with `open`. The open object
   is followed on the page's one socket (live/main.js). Focus goes to the drawer and, when it closes, back to the row.
   In narrow windows the drawer covers the page, which is inert below it. */
export function start() {
  const CURSOR = "data-ui-cursor"; // the row that keys act on, see page/shortcuts.js
  const INTERACTIVE = "a, button, input, label, select, summary, textarea";
  const COVERED = ["header.top", "#side", "#list", "#selection"];
  const sheet = matchMedia("(max-width: 640px)");
  const state = { path: "", opening: "" };

  const drawer = () => document.getElementById("drawer");
  const isOpen = () => Boolean(drawer()?.dataset.open);
  const pathNow = () => location.pathname + location.search;

  const tabNow = () => drawer()?.dataset.tab ?? "";

  function withOpen(path, object, tab = "") {
    const url = new URL(path, location.href);
    for (const name of ["open", "tab"]) url.searchParams.delete(name);
    if (!object) return url.pathname + url.search;
    const rest = url.search ? `${url.search}&` : "?";
    const open = `open=${encodeURIComponent(object).replaceAll("%2F", "/")}`;
    return url.pathname + rest + (tab ? `${open}&tab=${encodeURIComponent(tab)}` : open);
  }

  function openIn(path) {
    const params = new URL(path, location.href).searchParams;
    return { object: params.get("open") ?? "", tab: params.get("tab") ?? "" };
  }

  function rowOf(object) {
    const [namespace, name] = object.split("/");
    const escaped = [namespace === "-" ? "" : namespace, name ?? ""].map((text) => CSS.escape(text));
    return document.querySelector(`.table tbody tr[data-namespace="${escaped[0]}"][data-name="${escaped[1]}"]`);
  }

  /* ---- opening and closing ---- */

  function show(object, push, tab = tabNow()) {
    state.opening = object;
    const path = withOpen(pathNow(), object, tab);
    const swap = { source: "#drawer", target: "#drawer", select: "#drawer", swap: "outerMorph" };
    htmx.ajax("GET", path, push ? { ...swap, push: "true" } : swap);
  }

  function hide() {
    const element = drawer();
    const object = element.dataset.open;
    const inside = element.contains(document.activeElement) || document.activeElement === document.body;
    state.opening = "";
    element.replaceChildren();
    element.hidden = true;
    delete element.dataset.open;
    delete element.dataset.tab;
    settle();
    document.dispatchEvent(new CustomEvent("deltaboard:follow"));
    if (inside) (rowOf(object)?.querySelector("td.c-name a") ?? document.getElementById("main")).focus();
  }

  function close() {
    if (!history.state?.htmx) history.replaceState({ htmx: true }, "", location.href);
    history.pushState({ htmx: true }, "", withOpen(pathNow(), ""));
    hide();
  }

  function settle() {
    state.path = pathNow();
    document.getElementById("main").classList.toggle("with-drawer", isOpen());
    for (const element of document.querySelectorAll(COVERED.join())) element.inert = isOpen() && sheet.matches;
  }

  sheet.addEventListener("change", settle);

  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    if (ctx?.sourceElement !== drawer()) return;
    if (ctx.response?.status >= 400) event.preventDefault();
    else document.getElementById("logs")?.remove(); // lines are drawn by a script: those of another log do not become these
  });

  document.addEventListener("htmx:after:swap", ({ detail }) => {
    if (detail.ctx?.sourceElement?.id === "socket" || !drawer()) return;
    settle();
    const object = drawer().dataset.open;
    if (detail.ctx?.sourceElement !== drawer() || object !== state.opening) return;
    state.opening = "";
    document.querySelector(`.table tbody tr[${CURSOR}]`)?.removeAttribute(CURSOR);
    rowOf(object)?.setAttribute(CURSOR, "");
    drawer().scrollTop = 0;
    (document.getElementById("log") ?? drawer()).focus({ preventScroll: true });
  });

  /* ---- back and forward change only the drawer ---- */

  document.addEventListener("htmx:before:history:restore", (event) => {
    const { path } = event.detail;
    if (!drawer() || withOpen(path, "") !== withOpen(state.path, "")) return;
    event.preventDefault();
    const { object, tab } = openIn(path);
    if (object) show(object, false, tab);
    else if (isOpen()) hide();
  });

  /* ---- clicks ---- */

  function clickedRow({ target }) {
    const row = target.closest(".table tbody tr[data-name]");
    const inner = target.closest(INTERACTIVE);
    if (!row || (inner && row.contains(inner) && !inner.matches("td.c-name a"))) return null;
    return inner || getSelection().isCollapsed ? row : null; // a text selection is not a click
  }

  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!drawer()) return;
    const row = clickedRow(event);
    if (row) {
      event.preventDefault();
      show(`${row.dataset.namespace || "-"}/${row.dataset.name}`, true);
    } else if (event.target.closest("[data-drawer-close]")) {
      event.preventDefault();
      close();
    } else if (event.target.closest("[data-drawer-tab]")) {
      event.preventDefault();
      const { drawerTab } = event.target.closest("[data-drawer-tab]").dataset;
      if (drawerTab !== tabNow()) show(drawer().dataset.open, true, drawerTab);
    } else keepOpen(event.target.closest("#list a[href], #namespaces a[href]"));
  });

  document.addEventListener("deltaboard:open", ({ detail }) => drawer() && show(detail.object, true));

  /* Another order, page or namespace of the same list keeps the drawer open. */
  function keepOpen(link) {
    const here = link && isOpen() && !link.hasAttribute("download") && link.pathname === location.pathname;
    if (here) link.href = withOpen(link.href, drawer().dataset.open, tabNow());
  }

  document.addEventListener("htmx:config:request", ({ target, detail }) => {
    if (target.id !== "filter" || !isOpen()) return;
    detail.ctx.request.body.set("open", drawer().dataset.open);
    if (tabNow()) detail.ctx.request.body.set("tab", tabNow());
  });

  /* Runs before other handlers: popovers and dialogs above the drawer close first. */
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen() || event.target.id === "q") return;
    if (document.querySelector("details.pop[open], dialog[open], :popover-open")) return;
    event.preventDefault();
    close();
  }, { capture: true });

  settle();
}
