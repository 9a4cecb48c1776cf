import { headerOf, type HttpHeaders } from './http-headers.ts';

/** Returns the lower-case `Content-Type` without parameters, or an empty text when the field is missing. */
export function mediaTypeOf(headers: HttpHeaders): string {
  const type = headerOf(headers, 'content-type') ?? '';
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}

/** Whether the `Accept` field admits all the types. A missing field admits any type. */
export function accepts(headers: HttpHeaders, types: readonly string[]): boolean {
  const accept = headerOf(headers, 'accept');
  return (
    accept === undefined ||
    types.every((type) => accept.includes(type) || acceptsRange(accept, type))
  );
}

function acceptsRange(accept: string, type: string): boolean {
  const [family = ''] = type.split('/');
  const ranges = accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';', 1)[0]?.trim());
  return ranges.includes('*/*') || ranges.includes(`${family}/*`) || ranges.includes(type);
}
