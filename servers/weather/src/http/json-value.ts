/** Readers of JSON whose shape is not trusted: what has another type is as good as absent. */

export interface JsonRecord {
  readonly [key: string]: unknown;
}

export function recordOf(value: unknown): JsonRecord | undefined {
  return isRecord(value) ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns a finite number, else `undefined`. JSON.parse reads 1e999 as Infinity. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * Returns a foreign text without control characters, at most 200 characters; `undefined` when
 * nothing is left.
 */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .slice(0, 200)
    .trim();
  return text === '' ? undefined : text;
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
