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
  return cleaned(value, /[\p{Cc}\p{Cf}]/gu, 200);
}

/**
 * Returns a foreign text of several lines without other control characters, at most 2000
 * characters; `undefined` when nothing is left.
 */
export function longTextOf(value: unknown): string | undefined {
  return cleaned(value, /(?!\n)[\p{Cc}\p{Cf}]/gu, 2000);
}

function cleaned(value: unknown, removed: RegExp, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(removed, '').slice(0, maxLength).toWellFormed().trim();
  return text === '' ? undefined : text;
}

function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
