import { headerOf, type HttpHeaders } from './http-exchange.ts';

/** Whether the client takes an answer of all these types; one that does not say takes any. */
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
