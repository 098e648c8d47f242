/* Automatic retry of a form with data-repeat: after that many seconds the script presses its button with
   data-repeat-button. The page counts down; Stop, or any other button of the form, ends the countdown. Without this
   script the button does the same. In a form without such a button nothing is pressed: it only counts down.

   If the response is the same form with another data-turn, the countdown starts again: so a page applies step by step.
   Its button with data-repeat-cancel waits for the response to the current step, so that its result is not lost; its
   input with data-repeat-steps tells the server that this script runs. */
export function start() {
  const begun = new WeakMap(); // by form: its turn, and the controller that ends it
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
      return form.querySelector("[data-repeat-button]")?.click();
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
    say(button.form, "It ends after the step under way.");
  }, true);

  document.addEventListener("htmx:before:request", (event) => {
    const form = formOf(event);
    if (form) underWay.add(form);
  });

  /* A response from elsewhere, such as a proxy's error page, does not replace the form. */
  document.addEventListener("htmx:before:swap", (event) => {
    if (formOf(event) && !event.detail.ctx.text?.includes('id="edit"')) event.preventDefault();
  });

  document.addEventListener("htmx:finally:request", ({ detail }) => {
    const form = document.getElementById("edit");
    if (!form || !underWay.delete(form)) return;
    if (cancelled.delete(form)) return form.querySelector("[data-repeat-cancel]")?.click();
    if (!("repeat" in form.dataset) || detail.ctx.status === "swapped") return;
    form.elements.unheard.value = "1";
    say(form, "No answer came from the dashboard, so the result of this step is not known. Trying again writes nothing twice.");
    form.querySelector("[data-repeat-button]").hidden = false;
  });

  document.addEventListener("htmx:after:swap", beginAll);
  beginAll();
}
