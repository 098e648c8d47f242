/* Escapes in the place of invisible characters in an editor: how its text looks, not what it is. */
import { highlightSpecialChars } from "../../vendor/codemirror/codemirror.min.js";
import { escaped, INVISIBLE } from "../page/invisible_characters.js";

function drawn(code) {
  const words = `Invisible character U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  const textContent = escaped(String.fromCodePoint(code));
  const element = Object.assign(document.createElement("span"), { className: "cm-specialChar", textContent, title: words });
  element.setAttribute("aria-label", words);
  return element;
}

export const visibleCharacters = highlightSpecialChars({ specialChars: INVISIBLE, render: drawn });
