/* The column picker. Without this script its form and its links do the same, a page each; here the order is changed in
   place, and what else the address says (what is open, for one) stays in it. */
(() => {
  "use strict";

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("#columns [data-earlier]");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const item = link.closest("li");
    const before = item.previousElementSibling;
    if (!before) return;
    item.after(before);
    link.focus();
    before.scrollIntoView({ block: "nearest" });
  });

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "columns") return;
    event.preventDefault();
    const wanted = [...event.target.querySelectorAll("input[name=columns]:checked")].map((box) => box.value);
    const url = new URL(location.href);
    url.searchParams.delete("page");
    url.searchParams.delete("columns");
    const rest = url.search ? `${url.search}&` : "?";
    location.assign(wanted.length ? `${url.pathname}${rest}columns=${wanted.join()}` : url.pathname + url.search);
  });
})();
