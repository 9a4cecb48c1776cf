export interface JsonLimits {
  /** Maximum nesting of objects and lists; 1 allows only scalars within. */
  readonly maxDepth: number;
  /** Approximate maximum bytes as JSON text. Default: no limit. */
  readonly maxBytes?: number;
}

/**
 * Maximum nesting of foreign JSON. Deeper values would overflow the stack of recursive functions.
 */
export const MAX_JSON_DEPTH = 100;

/**
 * Returns the limit that a JSON value exceeds, without recursion and without reading beyond the
 * limit.
 */
export function exceededLimit(
  value: unknown,
  { maxDepth, maxBytes = Infinity }: JsonLimits,
): 'depth' | 'bytes' | undefined {
  const waiting: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  let bytes = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value: part, depth } = next;
    bytes += typeof part === 'string' ? Buffer.byteLength(part) + 2 : 4;
    if (bytes > maxBytes) return 'bytes';
    if (typeof part !== 'object' || part === null) continue;
    if (depth > maxDepth) return 'depth';
    for (const [name, member] of Object.entries(part)) {
      if (!Array.isArray(part)) bytes += Buffer.byteLength(name) + 3;
      waiting.push({ value: member, depth: depth + 1 });
    }
  }
  return undefined;
}
