/**
 * Cuts a text of more than `max` characters to its beginning and its end, with a note of the number
 * of characters between them. The note comes on top of `max`.
 */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  const head = max - tail;
  return `${text.slice(0, head).toWellFormed()} [… ${text.length - max} of ${text.length} characters left out …] ${text.slice(-tail).toWellFormed()}`;
}
