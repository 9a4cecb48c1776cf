/** Escape sequences of terminals: colors, cursor movements, titles and links. */
const ESCAPE_SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- terminals use control characters
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B\]|\u009D)[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]/g;
/** Characters that change the direction of the text after them. @see https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;
/** Control characters other than tab and line feed. */
// oxlint-disable-next-line no-control-regex -- these are replaced
const CONTROL = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

const PICTURES = 0x24_00;
const DELETE = 0x7f;
const PICTURE_OF_DELETE = '\u2421';

/**
 * Returns a text of a model or server as it can be shown: escape sequences of terminals are removed, characters that reorder the
 * text become their code in angle brackets, and other control characters become their pictures.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replace(ESCAPE_SEQUENCE, '')
    .replace(DIRECTION, (character) => `⟨${codeOf(character)}⟩`)
    .replace(CONTROL, pictureOf);
}

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code === DELETE) return PICTURE_OF_DELETE;
  return code < DELETE ? String.fromCharCode(PICTURES + code) : `⟨${codeOf(character)}⟩`;
}
