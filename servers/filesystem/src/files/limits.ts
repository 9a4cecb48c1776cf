/** Sizes that bound one call. */
export interface Limits {
  /** Text bytes one read returns; 1 KiB to 512 KiB, default 256 KiB. */
  readonly maxReadBytes: number;
  /** Entries one page of a listing or one search returns; 1 to 10000, default 2000. */
  readonly maxEntries: number;
}

export const defaultLimits: Limits = { maxReadBytes: 256 * 1024, maxEntries: 2000 };

/** Bytes of JSON one result may take; the text travels twice, in `content` and in `structuredContent`. */
export const resultBudgetBytes = 1024 * 1024;

/** Bytes of `text` inside a JSON message. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
