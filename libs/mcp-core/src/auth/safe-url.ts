import { isLoopback } from '../http/headers/loopback.ts';

/** Whether a value is an `https:` URL, or an `http:` URL with a loopback address. */
export function isSafeUrl(value: unknown): boolean {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return (
    url !== null &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
  );
}
