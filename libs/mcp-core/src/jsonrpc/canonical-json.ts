import { isJsonObject } from './envelope.ts';

/** Returns JSON with sorted members, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_member, entry: unknown) =>
    isJsonObject(entry)
      ? Object.fromEntries(Object.entries(entry).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
