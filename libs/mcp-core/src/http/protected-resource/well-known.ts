import { isSafeUrl } from '../../auth/safe-url.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/**
 * Returns the URL of the metadata of a resource: the well-known path before the path of the resource.
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-3.1
 */
export function metadataUrlOf(resource: string): URL {
  const url = new URL(resource);
  return new URL(`${WELL_KNOWN}${url.pathname === '/' ? '' : url.pathname}`, url.origin);
}

/** @throws Error for a text that is not such a URL */
export function checkUrl(option: string, text: string): string {
  const url = URL.parse(text);
  if (url === null || !isSafeUrl(text) || url.search !== '' || text.includes('#'))
    throw new Error(
      `${option}: ${JSON.stringify(text)} is not an https: URL without query and fragment. http: is accepted for loopback addresses only`,
    );
  return text;
}
