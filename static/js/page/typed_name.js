/* Buttons that need a typed name (data-needs-name) are enabled while the input data-typed-name of their form has it. The
   server checks it, too: without this script the buttons are always enabled. A button that is disabled for another
   reason stays so. */

export function start() {
  const fits = (input) => input.value.trim() === input.dataset.typedName.trim();

  function update(form) {
    const input = form.querySelector("[data-typed-name]");
    if (!input) return;
    const missing = !fits(input);
    for (const button of form.querySelectorAll("[data-needs-name]")) {
      if (missing === button.disabled || (button.disabled && button.dataset.needsName !== "waits")) continue;
      button.disabled = missing;
      button.dataset.needsName = missing ? "waits" : "";
    }
  }

  function updateAll() {
    for (const input of document.querySelectorAll("[data-typed-name]")) if (input.form) update(input.form);
  }

  document.addEventListener("input", ({ target }) => target.matches?.("[data-typed-name]") && target.form && update(target.form));
  /* Enter presses that button, and not the first of the form, which may be another one. */
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing || !event.target.matches?.("[data-typed-name]")) return;
    event.preventDefault();
    if (fits(event.target)) event.target.form?.querySelector("[data-needs-name]:not(:disabled)")?.click();
  });
  document.addEventListener("htmx:after:swap", updateAll);
  addEventListener("pageshow", updateAll); // the browser restores what was typed
  updateAll();
}
