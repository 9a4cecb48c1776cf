/**
 * State shared by the handlers of a server under test, whatever its library: counters that the tool
 * `state` returns, and calls that the tests hold. Each server has one, independent of its sessions.
 */
export class World {
  /**
   * Breaks the connection of the oldest running response; only servers over HTTP have such
   * connections.
   */
  dropStream: () => void = () => undefined;
  #started = 0;
  #aborted = 0;
  #pages = 0;
  #released = Promise.withResolvers<void>();

  get state(): { readonly started: number; readonly aborted: number; readonly pages: number } {
    return { started: this.#started, aborted: this.#aborted, pages: this.#pages };
  }

  /** Counts a list request with a cursor. */
  pageAsked(): void {
    this.#pages += 1;
  }

  /** Resolves with the next `release`. */
  released(): Promise<void> {
    return this.#released.promise;
  }

  release(): void {
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }

  /** Runs until the signal aborts, then rejects. */
  async hold(signal: AbortSignal): Promise<never> {
    this.#started += 1;
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#aborted += 1;
    throw new Error('aborted');
  }
}

/** An image of one pixel; its bytes also serve as sound. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const SOUND = 'UklGRgAAAABXQVZF';
export const ICON = {
  src: 'https://example.com/icon.png',
  mimeType: 'image/png',
  sizes: ['48x48'],
};

export const CLOCK_URI = 'world://clock';
export const BYTES_URI = 'world://bytes';
export const BYTES = 'AAECAw==';
export const CITY_TEMPLATE = 'world://city/{name}';
export const RIVER_TEMPLATE = 'world://river/{name}';
export const CITIES = ['Bergen', 'Berlin', 'Bern', 'Oslo'];
export const INSTRUCTIONS = 'Be kind – ありがとう';

/** Every kind of content that a tool can return. */
export const MEDIA = [
  { type: 'image', data: PIXEL, mimeType: 'image/png' },
  { type: 'audio', data: SOUND, mimeType: 'audio/wav' },
  { type: 'resource_link', uri: CLOCK_URI, name: 'clock', mimeType: 'text/plain' },
  { type: 'resource', resource: { uri: CLOCK_URI, mimeType: 'text/plain', text: 'noon' } },
] as const;

export const NAME_FORM = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: { name: { type: 'string', title: 'Name' } },
    required: ['name'],
  },
} as const;
export const PAGE = {
  mode: 'url',
  message: 'Sign in',
  url: 'https://example.com/sign-in',
} as const;
export const THOUGHT = {
  messages: [{ role: 'user', content: { type: 'text', text: 'What is the answer?' } }],
  maxTokens: 100,
} as const;

/** Returns suggestions for a city. */
export function citiesLike(start: string): string[] {
  return CITIES.filter((city) => city.startsWith(start));
}

export function text(value: string): { content: [{ type: 'text'; text: string }] } {
  return { content: [{ type: 'text', text: value }] };
}
