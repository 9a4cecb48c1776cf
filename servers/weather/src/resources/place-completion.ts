import type { CompletionInput } from '@signalbox/mcp-core/server';
import { choosePlace } from '../location/choose-place.ts';
import { placeLabel } from '../location/resolve-location.ts';
import type { Place, WeatherProvider } from '../provider.ts';
import { pause } from '../http/pause.ts';
import { WeatherError } from '../weather-error.ts';

/** Fewest characters that the geocoder completes. */
const MIN_LENGTH = 2;
const MAX_LENGTH = 100;
const MAX_VALUES = 100;
/** Milliseconds without a further letter before places are requested. */
const DEBOUNCE_MS = 120;

/**
 * Completes the name of a place. Requests places only after a pause in the typing: a text that goes
 * on a waiting text, or shortens it, ends its wait without values.
 */
export class PlaceCompletion {
  readonly #provider: WeatherProvider;
  readonly #debounceMs: number;
  readonly #waiting = new Map<string, AbortController>();

  constructor(provider: WeatherProvider, debounceMs: number = DEBOUNCE_MS) {
    this.#provider = provider;
    this.#debounceMs = provider.demo ? 0 : debounceMs;
  }

  /** Suggests names, most populous first; none for a place that is unclear, or when offline. */
  async complete(
    typed: string,
    { context }: Pick<CompletionInput, 'context'>,
  ): Promise<readonly string[]> {
    const text = typed.normalize('NFC').trim().toLowerCase();
    if (text.length < MIN_LENGTH || text.length > MAX_LENGTH || /[\p{Cc}\d]/u.test(text)) return [];
    if (!(await this.#isLastOf(text, context.signal))) return [];
    try {
      return namesOf(await this.#provider.findPlaces(text, context.signal));
    } catch (error) {
      if (error instanceof WeatherError) return [];
      throw error;
    }
  }

  /** Resolves with whether no text of the same typing followed within the pause. */
  async #isLastOf(text: string, signal: AbortSignal): Promise<boolean> {
    for (const [other, controller] of this.#waiting)
      if (other.startsWith(text) || text.startsWith(other)) controller.abort();
    const controller = new AbortController();
    this.#waiting.set(text, controller);
    try {
      await pause(this.#debounceMs, AbortSignal.any([signal, controller.signal]));
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    } finally {
      if (this.#waiting.get(text) === controller) this.#waiting.delete(text);
    }
  }
}

/** Returns a location for each place: its name if that means this place, else its full label. */
function namesOf(places: readonly Place[]): readonly string[] {
  const sorted = places.toSorted((a, b) => (b.population ?? 0) - (a.population ?? 0));
  const names = sorted.map((place) => {
    const choice = choosePlace({ kind: 'name', name: place.name, qualifiers: [] }, places);
    return choice.kind === 'found' && choice.place.id === place.id ? place.name : placeLabel(place);
  });
  return [...new Set(names)].slice(0, MAX_VALUES);
}
