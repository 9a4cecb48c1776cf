/** Accents and other marks above and below letters. */
const DIACRITICS = /[\u0300-\u036f]+/g;
/** Characters that are not shown, such as soft hyphens and marks of the writing direction. */
const INVISIBLE = /\p{Cf}+/gu;
const SPACE = /[\s\p{Cc}]+/gu;

/**
 * Returns the form of a text in which it is searched: in lower case, without diacritics, without
 * invisible characters, with compatibility characters replaced (NFKC), and with single spaces. Texts
 * that readers see as the same word have the same form.
 * @see https://www.unicode.org/reports/tr15/
 */
export function foldText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(INVISIBLE, '')
    .replace(DIACRITICS, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
    .replace(SPACE, ' ')
    .trim();
}

/** Returns the different words of a search, separated by spaces, in the form of `foldText`. */
export function searchWords(query: string): readonly string[] {
  return [...new Set(foldText(query).split(' '))].filter((word) => word !== '');
}
