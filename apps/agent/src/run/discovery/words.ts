/** Words that do not describe a tool. */
const STOP_WORDS = new Set(
  (
    'a about all also an and any are as at be been by can could do does each for from get give gives has have how i if in into is it its me my need of on one or our ' +
    'please s should so some such t than that the their them then there these they this those to tool use used uses using via want was we what when where which who will with would you your'
  ).split(' '),
);

const MIN_STEMMED = 5;
const MIN_STEM = 3;

/**
 * Returns the words of a text in lower case and without endings (plurals, `create` and `creation`).
 * `listOpenOrders`, `list_open_orders` and "list open orders" give the same words.
 */
export function wordsOf(text: string): string[] {
  const parts = text
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase();
  // Chinese and Japanese have no spaces: each character is a word.
  return (
    parts.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+/gu) ?? []
  ).map(stemOf);
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word);
}

function stemOf(word: string): string {
  const singular = withoutPlural(word);
  const stem =
    singular.length < MIN_STEMMED ? singular : singular.replace(/(?<=[st])ion$|(?:ing|ed|e)$/, '');
  return stem.length < MIN_STEM ? singular : stem.replace(/([bdgmnprt])\1$/, '$1');
}

function withoutPlural(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}
