import { nodeCrypto } from '../../jsonrpc/node-crypto.ts';
import type { AuthorizedRequest, HttpAuthorization } from './authorization.ts';
import { type ExtraHeaders, type HeaderProvider, isPromise, withReplaced } from './headers.ts';

/** Header fields of the host for one request. */
export interface HostHeaders {
  /** All fields, including those of the authorization. */
  readonly all: ExtraHeaders;
  readonly authorized: ExtraHeaders;
}

/** Lower-case names of fields that differ for each request with the same credentials. */
const FIELDS_OF_ONE_REQUEST: ReadonlySet<string> = new Set([
  'baggage',
  'dpop',
  'traceparent',
  'tracestate',
  'x-correlation-id',
  'x-request-id',
]);

/** Returns the fields of the host and of the authorization; synchronously if neither is a promise. */
export function hostHeaders(
  {
    headers: own,
    authorization,
  }: {
    readonly headers?: ExtraHeaders | HeaderProvider | undefined;
    readonly authorization?: HttpAuthorization | undefined;
  },
  request: AuthorizedRequest,
): HostHeaders | Promise<HostHeaders> {
  const { method, url } = request;
  const extra = typeof own === 'function' ? own({ method, url }) : own;
  const granted = authorization?.headers(request);
  const merge = (all: ExtraHeaders = {}, authorized: ExtraHeaders = {}): HostHeaders => ({
    all: withReplaced(all, authorized),
    authorized,
  });
  return isPromise(extra) || isPromise(granted)
    ? Promise.all([extra, granted]).then(([all, authorized]) => merge(all, authorized))
    : merge(extra, granted);
}

/** Returns a digest of the fields that may be credentials. */
export function credentialsIn(headers: ExtraHeaders): string {
  const fields = Object.entries(headers)
    .map(([name, value]): readonly [string, string] => [name.toLowerCase(), value])
    .filter(([name]) => !FIELDS_OF_ONE_REQUEST.has(name))
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return nodeCrypto().createHash('sha256').update(JSON.stringify(fields)).digest('base64url');
}
