/* Theme: light, dark or the system's. Kept in a cookie, so that the server renders it. */
import { closePopovers } from "./popovers.js";

export function start() {
  function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`;
    for (const button of document.querySelectorAll(".theme button")) {
      button.setAttribute("aria-pressed", String(button.value === theme));
    }
    document.querySelector(".theme > summary use")?.setAttribute("href", `#i-${theme}`);
    announceTheme();
  }

  /* The form works without this; here it needs no new page. */
  document.addEventListener("submit", (event) => {
    if (!event.target.matches(".theme form") || !event.submitter) return;
    event.preventDefault();
    setTheme(event.submitter.value);
    closePopovers(null);
  });

  const announceTheme = () => document.dispatchEvent(new CustomEvent("deltaboard:theme"));

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", announceTheme);
}
