/** Sizes that bound one call. */
export interface Limits {
  /** Text bytes one read returns; 1 KiB to 512 KiB, default 256 KiB. */
  readonly maxReadBytes: number;
  /** Entries one page of a listing or one search returns; 1 to 10000, default 2000. */
  readonly maxEntries: number;
  /** Bytes of JSON one result may take; the text travels twice, in `content` and in `structuredContent`. 64 KiB to 3 MiB, default 1 MiB. */
  readonly maxResultBytes: number;
}

/** Default of `Limits.maxResultBytes`. */
export const resultBudgetBytes = 1024 * 1024;

export const defaultLimits: Limits = { maxReadBytes: 256 * 1024, maxEntries: 2000, maxResultBytes: resultBudgetBytes };

/** Bytes of `text` inside a JSON message. */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
