/** Approximate tokens of an image or a page. */
const MEDIA_TOKENS = 1500;
const CHARACTERS_PER_TOKEN = 4;
const BASE64 = /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{2000,}={0,2}$/;

/**
 * Returns a rough token count of a request: four characters per token, and a fixed count per image
 * or page.
 */
export function estimateTokens(request: unknown): number {
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
