/**
 * Removes case, accents, dots and apostrophes, and replaces hyphens by spaces, so that
 * "Saint-Étienne" equals "saint etienne", and "Łódź" equals "lodz".
 */
export function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{M}|[.'’]/gu, '')
    .replaceAll(/[\s-]+/g, ' ')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\0-\u007f]/gu, (letter) => PLAIN_LETTERS.get(letter) ?? letter);
}

/** Letters that Unicode does not decompose into a plain letter and a mark. */
const PLAIN_LETTERS: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['þ', 'th'],
  ['ħ', 'h'],
  ['ı', 'i'],
]);
