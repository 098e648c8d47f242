/* Visible escapes of characters that nobody sees, as of dashboard/runtime/invisible_characters.py: for texts of the cluster that a
   script shows. Never for what is stored, sent or typed. */
export const INVISIBLE = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFFE\uFFFF]/gu;

export function escaped(character) {
  const code = character.codePointAt(0);
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
}

export const visible = (text) => text.replace(INVISIBLE, escaped);
