/* Column picker: it changes the order in place, and keeps the rest of the address, such as the open object. Without
   this script its form and its links do the same, with a page load each. */
export function start() {
  /* The columns in their order. A typed one comes after the name and the status, where it is seen at once, and not at
     the right end of a wide table. */
  function withAdded(form) {
    const names = [...form.querySelectorAll("input[name=columns]:checked")].map((box) => box.value);
    const added = form.querySelector("input[name=columns][type=text]").value.trim();
    if (!added || names.includes(added)) return names;
    const place = Math.max(names.indexOf("name"), names.indexOf("status")) + 1;
    return names.toSpliced(place || names.length, 0, added);
  }

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
    const columns = withAdded(event.target).map((name) => encodeURIComponent(name));
    const url = new URL(location.href);
    url.searchParams.delete("page");
    url.searchParams.delete("columns");
    const rest = url.search ? `${url.search}&` : "?";
    location.assign(columns.length ? `${url.pathname}${rest}columns=${columns.join()}` : url.pathname + url.search);
  });
}
