import type { IncomingMessage } from 'node:http';
import { OAuthError } from './oauth-error.ts';

/** A request that the authorization server received. Contains secrets. */
export interface ReceivedRequest {
  readonly method: string;
  /** Path relative to the issuer for endpoints, and to the origin for well-known addresses. */
  readonly path: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Parameters of the form in the body. */
  readonly form: URLSearchParams;
}

const MAX_BODY_BYTES = 64 * 1024;

/** Reads a request. @throws OAuthError when its body is too large */
export async function readRequest(
  request: IncomingMessage,
  origin: string,
): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new OAuthError('invalid_request', 'body too large');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  const url = new URL(request.url ?? '/', origin);
  const isForm = request.headers['content-type']?.split(';')[0]?.trim() === FORM;
  const form = new URLSearchParams(isForm ? body : '');
  const { method = '', headers } = request;
  return { method, path: url.pathname, url, headers, body, form };
}

const FORM = 'application/x-www-form-urlencoded';

/**
 * Returns the parameters of a form that was posted.
 * @throws OAuthError when it is not a form, or a parameter is repeated, empty or in the query
 */
export function postedForm(request: ReceivedRequest): { readonly [name: string]: string } {
  const { method, headers, url, form } = request;
  if (method !== 'POST')
    throw new OAuthError('invalid_request', 'POST is required', { status: 405 });
  if (headers['content-type']?.split(';')[0]?.trim() !== FORM)
    throw new OAuthError('invalid_request', `the content type is not ${FORM}`);
  if (url.search !== '') throw new OAuthError('invalid_request', 'parameters are in the query');
  return singleParameters(form);
}

/** Returns parameters by name. @throws OAuthError when one is repeated (RFC 6749, 3.1 and 3.2) */
export function singleParameters(parameters: URLSearchParams): {
  readonly [name: string]: string;
} {
  const found: { [name: string]: string } = {};
  for (const [name, value] of parameters) {
    if (name in found) throw new OAuthError('invalid_request', `${name} is repeated`);
    found[name] = value;
  }
  return found;
}
