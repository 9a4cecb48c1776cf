import type { AudioContent, ImageContent } from '@signalbox/mcp-core';

/** A red pixel. */
export const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** A WAV header without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

export const IMAGE: ImageContent = { type: 'image', data: PNG, mimeType: 'image/png' };
export const AUDIO: AudioContent = { type: 'audio', data: WAV, mimeType: 'audio/wav' };
