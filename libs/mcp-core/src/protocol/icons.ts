/**
 * An icon. Renderers accept only `https:` and `data:`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic#icons
 */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** `WIDTHxHEIGHT`, or `any` for scalable images. */
  readonly sizes?: readonly string[];
  readonly theme?: 'light' | 'dark';
}
