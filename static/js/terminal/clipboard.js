/* Buttons that copy, paste and select. `now` returns the terminal and whether a command runs in it. Copying is that of
   all copy buttons (page/copy.js). Browsers let pages read the clipboard over HTTPS and on this machine only. */

const NOT_OFFERED = "Browsers let a page read the clipboard over HTTPS only. Ctrl V pastes.";
const REFUSED = "The browser did not let this page read the clipboard. Ctrl V pastes.";

export function startClipboard(now) {
  const tools = document.getElementById("terminal-tools");
  const note = document.getElementById("terminal-clipboard");
  const [copy, paste, select] = ["copy", "paste", "select"].map((name) => tools.querySelector(`[data-terminal-${name}]`));

  function update() {
    const { terminal, isOpen } = now();
    tools.hidden = false;
    copy.disabled = !terminal.hasSelection();
    copy.title = copy.disabled ? "Select something first" : "";
    paste.disabled = !isOpen;
  }

  async function pasteText() {
    note.textContent = "";
    if (!navigator.clipboard?.readText) {
      note.textContent = NOT_OFFERED;
      return;
    }
    try {
      now().terminal.paste(await navigator.clipboard.readText());
    } catch {
      note.textContent = REFUSED;
    }
    now().terminal.focus();
  }

  copy.addEventListener("click", () => { copy.dataset.copy = now().terminal.getSelection(); });
  paste.addEventListener("click", pasteText);
  select.addEventListener("click", () => now().terminal.selectAll());
  return { update };
}
