import { wordOf } from '../guard/statement-tokens.ts';
import type { Token } from '../guard/tokenize.ts';

const DIGITS = /^\d{1,9}$/;

/**
 * Returns the most rows of a statement that ends with `LIMIT n` or `LIMIT n OFFSET m`; `undefined` for
 * any other statement. SQLite has compiled it, so that its parentheses are closed before that.
 */
export function rowLimit(tokens: readonly Token[]): number | undefined {
  const [limit, count, offset, skipped, ...others] = tokens.slice(
    tokens.findLastIndex((token) => wordOf(token) === 'limit'),
  );
  if (wordOf(limit) !== 'limit' || count === undefined || !isWholeNumber(count)) return undefined;
  if (offset === undefined) return Number(count.text);
  const isOffset = wordOf(offset) === 'offset' && skipped !== undefined && isWholeNumber(skipped);
  return isOffset && others.length === 0 ? Number(count.text) : undefined;
}

function isWholeNumber({ kind, text }: Token): boolean {
  return kind === 'number' && DIGITS.test(text);
}
