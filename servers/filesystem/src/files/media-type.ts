import path from 'node:path';

const mediaTypes: { readonly [extension: string]: string | undefined } = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.flac': 'audio/flac',
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.m4a': 'audio/mp4',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
};

/** The media type of an image or a sound, by its first bytes or else by its name; `undefined` for everything else. 12 bytes are enough. */
export function mediaTypeOf(filePath: string, start: Buffer): string | undefined {
  const text = start.subarray(0, 12).toString('latin1');
  if (text.startsWith('\x89PNG\r\n')) return 'image/png';
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (text.startsWith('GIF8')) return 'image/gif';
  if (text.startsWith('RIFF') && text.slice(8) === 'WEBP') return 'image/webp';
  if (text.startsWith('RIFF') && text.slice(8) === 'WAVE') return 'audio/wav';
  if (text.startsWith('OggS')) return 'audio/ogg';
  if (text.startsWith('fLaC')) return 'audio/flac';
  if (text.startsWith('ID3')) return 'audio/mpeg';
  return mediaTypes[path.extname(filePath).toLowerCase()];
}
