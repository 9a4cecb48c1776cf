import { parse } from 'node:querystring';

/**
 * Parses a query string. `metadata.NAME=VALUE` and `metadata[NAME]=VALUE` form one object,
 * `metadata`.
 */
export function parseQuery(text: string): { readonly [name: string]: unknown } {
  // In an ordinary object an entry named `__proto__` would be lost.
  const query = Object.create(null) as { [name: string]: unknown };
  const metadata = Object.create(null) as { [name: string]: unknown };
  for (const [name, value] of Object.entries(parse(text))) {
    const [, dotted, bracketed] = /^metadata(?:\.(.+)|\[(.+)\])$/s.exec(name) ?? [];
    const entry = dotted ?? bracketed;
    if (entry === undefined) query[name] = value;
    else metadata[entry] = value;
  }
  return Object.keys(metadata).length === 0 ? { ...query } : { ...query, metadata };
}
