import { isLoopback } from '../http/headers/loopback.ts';
import { LocalError } from '../protocol/errors.ts';

/** URLs in the options of an authorization or a login. */
export interface CheckedUrls {
  readonly server?: string | undefined;
  readonly redirectUri?: string | undefined;
  readonly metadataUrl?: string | undefined;
}

/**
 * Checks URLs of the host.
 * @throws LocalError `invalid-argument`
 */
export function checkUrls({ server, redirectUri, metadataUrl }: CheckedUrls): void {
  check('server', server, 'http: or https:', isHttp);
  check('redirectUri', redirectUri, 'https:, or http: at a loopback address', isRedirectUri);
  check('registration.metadataUrl', metadataUrl, 'https:, with a path', isDocumentUrl);
}

function check(
  name: string,
  text: string | undefined,
  expected: string,
  isRight: (url: URL) => boolean,
): void {
  const url = text === undefined ? undefined : URL.parse(text);
  if (url === undefined || (url !== null && isRight(url))) return;
  throw new LocalError(
    'invalid-argument',
    `${name} is ${JSON.stringify(text)}; it must be a URL that begins with ${expected}, without a fragment.`,
  );
}

function isHttp({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security */
function isRedirectUri({ protocol, hostname, hash }: URL): boolean {
  return hash === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration#client-id-metadata-documents */
function isDocumentUrl({ protocol, pathname, hash }: URL): boolean {
  return hash === '' && protocol === 'https:' && pathname !== '/';
}
