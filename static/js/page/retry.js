/* A form with data-repeat is sent again by itself after that many seconds, by its button with data-repeat-button. The page
   counts down; Stop, or any other button of it, ends that. Without this script the button does the same.

   Where the answer is the same form with another data-turn, it begins anew: a page that applies step by step. Its button
   with data-repeat-cancel waits for the answer to the step under way, so that what that says is not lost; its input with
   data-repeat-steps says that there is this script. */
(() => {
  "use strict";

  const begun = new WeakMap(); // the turn of each form, and what forgets it
  const underWay = new WeakSet();
  const cancelled = new WeakSet();

  function begin(form) {
    const turn = form.dataset.turn ?? "";
    const before = begun.get(form);
    if (before?.turn === turn) return;
    before?.end.abort();
    const end = new AbortController();
    begun.set(form, { turn, end });
    const says = form.querySelector("[data-repeat-says]");
    const place = form.querySelector("[data-countdown]");
    const stopping = form.querySelector("[data-repeat-stop]");
    const at = performance.now() + 1000 * Number(form.dataset.repeat);
    const timer = setInterval(tick, 200);

    function stop() {
      clearInterval(timer);
      if (stopping) stopping.hidden = true; // too late, or done
    }

    function tick() {
      if (!form.isConnected) return stop();
      const left = Math.max(0, Math.ceil((at - performance.now()) / 1000));
      const words = left ? `in ${left} s` : "now";
      if (place && place.textContent !== words) place.textContent = words;
      if (left || underWay.has(form)) return undefined;
      stop();
      return form.querySelector("[data-repeat-button]").click();
    }

    const { signal } = end;
    signal.addEventListener("abort", () => clearInterval(timer));
    form.addEventListener("submit", stop, { signal });
    form.addEventListener("htmx:before:request", stop, { signal });
    stopping?.addEventListener("click", () => {
      stop();
      says.textContent = "Stopped: nothing is sent until you press the button.";
      form.querySelector("[data-repeat-button]").focus();
    }, { signal });
    if (place) says.hidden = false;
    if (stopping) stopping.hidden = false;
  }

  function beginAll() {
    for (const form of document.querySelectorAll("form[data-repeat]")) begin(form);
    for (const input of document.querySelectorAll("[data-repeat-steps]")) input.disabled = false;
  }

  function say(form, words) {
    const says = form.querySelector("[data-repeat-says]");
    if (!says) return;
    says.textContent = words;
    says.hidden = false;
  }

  const formOf = ({ detail }) => {
    const form = detail?.ctx?.sourceElement?.form;
    return form?.dataset.turn === undefined ? null : form;
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-repeat-cancel]");
    if (!button || !underWay.has(button.form)) return;
    event.preventDefault();
    event.stopPropagation();
    cancelled.add(button.form);
    say(button.form, "It ends with what is under way.");
  }, true);

  document.addEventListener("htmx:before:request", (event) => {
    const form = formOf(event);
    if (form) underWay.add(form);
  });

  /* An answer of something else, such as a proxy that does not reach the dashboard, is not shown in the form's place. */
  document.addEventListener("htmx:before:swap", (event) => {
    if (formOf(event) && !event.detail.ctx.text?.includes('id="edit"')) event.preventDefault();
  });

  document.addEventListener("htmx:finally:request", ({ detail }) => {
    const form = document.getElementById("edit");
    if (!form || !underWay.delete(form)) return;
    if (cancelled.delete(form)) return form.querySelector("[data-repeat-cancel]")?.click();
    if (!("repeat" in form.dataset) || detail.ctx.status === "swapped") return;
    form.elements.unheard.value = "1";
    say(form, "No answer came from the dashboard, so what came of this step is not known. Trying it again writes nothing twice.");
    form.querySelector("[data-repeat-button]").hidden = false;
  });

  document.addEventListener("htmx:after:swap", beginAll);
  beginAll();
})();
