/* The pod of a terminal, and what becomes of its containers. Frames replace #terminal-pod, which says what became of
   the pod, and #terminal-containers, whose options say in which run each container is: data-run, empty while it does
   not run (data-state says why), and how the run before ended (data-before). */

export function followPod(form, changed) {
  const note = document.getElementById("terminal-change");
  const state = { uid: "", chosen: form.elements.container.value, runs: new Map() };
  const element = () => document.getElementById("terminal-pod");
  const uid = () => element().dataset.uid;
  const options = () => [...form.elements.container.options];

  /* What has become of the chosen container since the page showed it first, or since something was started in it. */
  function change() {
    const option = form.elements.container.selectedOptions[0];
    const run = state.runs.get(option?.value);
    if (!run || run === option.dataset.run) return "";
    const { state: words, before } = option.dataset;
    if (words) return `Container ${option.value} does not run any more: ${words}.`;
    return `Container ${option.value} was started again${before ? `. The container's last run: ${before}` : ""}.`;
  }

  function show() {
    const words = "gone" in element().dataset ? "" : change();
    note.hidden = !words;
    if (note.textContent !== words) note.textContent = words;
  }

  /* Takes the present runs for those that somebody has seen. */
  function look() {
    if (uid() !== state.uid) state.runs.clear();
    state.uid = uid();
    for (const { value, dataset } of options()) if (!state.runs.get(value)) state.runs.set(value, dataset.run);
  }

  /* Something starts in the chosen container. */
  function begin() {
    state.runs.delete(state.chosen);
    look();
    show();
  }

  form.elements.container.addEventListener("change", choose);

  function choose() {
    state.chosen = form.elements.container.value;
    show();
  }

  document.addEventListener("deltaboard:frame", () => {
    const { container } = form.elements;
    if (options().some(({ value }) => value === state.chosen)) container.value = state.chosen;
    else choose();
    look();
    show();
    changed();
  });

  look();
  return { uid, begin, isThere: () => Boolean(uid()) && !("gone" in element().dataset) };
}
