export interface JsonLimits {
  /** Levels of objects and lists in each other; 1 is an object or list of scalars. */
  readonly maxDepth: number;
  /** About the bytes of the value as JSON; default no limit. */
  readonly maxBytes?: number;
}

/** The most levels of any JSON that comes from outside: what is nested deeper overflows the stack of the functions that walk it. */
export const MAX_JSON_DEPTH = 100;

/** Finds which limit a JSON value exceeds, without recursion and no further than to the limit. */
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
