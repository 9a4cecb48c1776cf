/**
 * Returns the names that begin with the typed text or, if none does, the names that contain it;
 * without regard to case and Unicode normalization. Half of a surrogate pair at the end of the text
 * is ignored.
 */
export function completeNames(typed: string, names: readonly string[]): readonly string[] {
  const wanted = fold(typed.replace(/[\uD800-\uDBFF]$/, ''));
  const beginning = names.filter((name) => fold(name).startsWith(wanted));
  return beginning.length > 0 ? beginning : names.filter((name) => fold(name).includes(wanted));
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}
