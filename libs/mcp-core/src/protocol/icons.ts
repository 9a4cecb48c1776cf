/** An image that stands for a thing. A renderer takes `https:` and `data:` only. @see https://modelcontextprotocol.io/specification/2026-07-28/basic#icons */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** `WIDTHxHEIGHT`, or `any` for what scales. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}
