/** What an image or a page of a document counts, more or less. */
const MEDIA_TOKENS = 1500;
const CHARACTERS_PER_TOKEN = 4;
const BASE64 = /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_-]{2000,}={0,2}$/;

/** A rough count of the tokens of a request, for when the provider gives none: four characters each, and media by number, not by bytes. */
export function estimateTokens(request: unknown): number {
  let media = 0;
  const text = JSON.stringify(request, (_key, value: unknown) => {
    if (typeof value !== 'string' || !BASE64.test(value)) return value;
    media += 1;
    return '';
  });
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + media * MEDIA_TOKENS;
}

/** The tokens of so many characters of an answer. */
export function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}
