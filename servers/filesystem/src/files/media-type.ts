import path from 'node:path';

interface MediaKind {
  readonly type: string;
  readonly extensions: readonly string[];
  /** Pattern of the first bytes, read as Latin-1. */
  readonly start: RegExp;
}

const kinds: readonly MediaKind[] = [
  { type: 'image/png', extensions: ['.png'], start: /^\x89PNG\r\n/ },
  { type: 'image/jpeg', extensions: ['.jpg', '.jpeg'], start: /^\xff\xd8\xff/ },
  { type: 'image/gif', extensions: ['.gif'], start: /^GIF8/ },
  { type: 'image/webp', extensions: ['.webp'], start: /^RIFF[^]{4}WEBP/ },
  { type: 'image/avif', extensions: ['.avif'], start: /^[^]{4}ftypavi[fs]/ },
  { type: 'audio/wav', extensions: ['.wav'], start: /^RIFF[^]{4}WAVE/ },
  { type: 'audio/ogg', extensions: ['.ogg'], start: /^OggS/ },
  { type: 'audio/flac', extensions: ['.flac'], start: /^fLaC/ },
  { type: 'audio/mpeg', extensions: ['.mp3'], start: /^ID3/ },
];

/** Types whose first bytes also occur in many other files, so that the name decides too. */
const namedKinds: readonly MediaKind[] = [
  { type: 'image/bmp', extensions: ['.bmp'], start: /^BM/ },
  { type: 'image/svg+xml', extensions: ['.svg'], start: /^(?:\xef\xbb\xbf)?\s*</ },
  { type: 'audio/mp4', extensions: ['.m4a'], start: /^[^]{4}ftyp/ },
  { type: 'audio/mpeg', extensions: ['.mp3'], start: /^\xff[\xe0-\xff]/ },
];

/**
 * Returns the media type of an image or a sound by its first bytes, never by its name alone;
 * `undefined` for everything else.
 */
export function mediaTypeOf(filePath: string, start: Buffer): string | undefined {
  const text = start.subarray(0, 64).toString('latin1');
  const extension = path.extname(filePath).toLowerCase();
  const found =
    kinds.find((kind) => kind.start.test(text)) ??
    namedKinds.find((kind) => kind.extensions.includes(extension) && kind.start.test(text));
  return found?.type;
}

/** Whether the extension is that of an image or a sound. */
export function hasMediaName(filePath: string): boolean {
  const extension = path.extname(filePath).toLowerCase();
  return [...kinds, ...namedKinds].some(({ extensions }) => extensions.includes(extension));
}
