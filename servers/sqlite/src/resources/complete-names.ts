/**
 * Returns the names that begin with the typed text, then those that contain it; without regard to
 * case and Unicode normalization. Half of a surrogate pair at the end of the text is ignored.
 */
export function completeNames(typed: string, names: readonly string[]): readonly string[] {
  const wanted = fold(typed.replace(/[\uD800-\uDBFF]$/, ''));
  const folded = names.map((name) => ({ name, text: fold(name) }));
  const beginning = folded.filter(({ text }) => text.startsWith(wanted));
  const containing = folded.filter(({ text }) => text.includes(wanted) && !text.startsWith(wanted));
  return [...beginning, ...containing].map(({ name }) => name);
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
