/**
 * Begins the stored form of a character. A noncharacter, which texts contain only by accident.
 * @see https://www.unicode.org/faq/private_use.html#nonchar1
 */
const ESCAPE = '\u{10FFFE}';
const STORED_NUL = `${ESCAPE}0`;
const STORED_ESCAPE = `${ESCAPE}1`;

/** Returns the form of a text that PostgreSQL can store: it allows every character but NUL. */
export function toStoredText(text: string): string {
  if (!text.includes('\0') && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, STORED_ESCAPE).replaceAll('\0', STORED_NUL);
}

/** Returns the text of a stored form, or of its beginning. */
export function fromStoredText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored;
  return stored.replaceAll(STORED_NUL, '\0').replaceAll(STORED_ESCAPE, ESCAPE);
}
