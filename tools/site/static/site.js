/* What the theme's elements lack: names of the two sides, and a stop of Tab at what scrolls. */
document.addEventListener("DOMContentLoaded", () => {
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages and search");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  const mark = () => {
    for (const one of document.querySelectorAll("article .table-wrapper, article pre")) {
      if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
      else one.removeAttribute("tabindex");
    }
  };
  mark();
  addEventListener("resize", mark);
});
