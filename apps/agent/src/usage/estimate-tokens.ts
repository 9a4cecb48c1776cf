/** Approximate tokens of an image or a page. */
const MEDIA_TOKENS = 1500;
const CHARACTERS_PER_TOKEN = 4;
const MIN_BASE64_LENGTH = 2000;
const BASE64 = new RegExp(
  `^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{${String(MIN_BASE64_LENGTH)},}={0,2}$`,
  'u',
);
const BASE64_CHARACTER = /[A-Za-z0-9+/_-]/u;

/**
 * Returns a rough token count of a request: four characters per token, and a fixed count per image
 * or page. `whole`: the JSON text of the request, if it is known.
 */
export function estimateTokens(request: unknown, whole = JSON.stringify(request)): number {
  if (!hasLongBase64(whole)) return tokensIn(whole.length);
  let media = 0;
  const text = JSON.stringify(request, (_key, value: unknown) => {
    if (typeof value !== 'string' || !BASE64.test(value)) return value;
    media += 1;
    return '';
  });
  return tokensIn(text.length) + media * MEDIA_TOKENS;
}

/** Returns the approximate characters of a number of tokens. */
export function charactersIn(tokens: number): number {
  return tokens * CHARACTERS_PER_TOKEN;
}

/** Returns the approximate tokens of a number of characters. */
export function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Whether a text may contain media: as many base64 characters in a row. Looks at one character of each possible place first. */
function hasLongBase64(text: string): boolean {
  for (let at = MIN_BASE64_LENGTH - 1; at < text.length; at += MIN_BASE64_LENGTH) {
    let first = at;
    let end = at;
    while (end < text.length && isBase64(text, end)) end += 1;
    while (first > 0 && first > at - MIN_BASE64_LENGTH && isBase64(text, first - 1)) first -= 1;
    if (end - first >= MIN_BASE64_LENGTH) return true;
  }
  return false;
}

function isBase64(text: string, at: number): boolean {
  return BASE64_CHARACTER.test(text.charAt(at));
}
