const MAX_CHARACTERS = 200;

/** A name of the peer's as a message repeats it: its beginning, so that no answer grows with what it refuses. */
export function shorten(text: string): string {
  return text.length <= MAX_CHARACTERS
    ? text
    : `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)`;
}
