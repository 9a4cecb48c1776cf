import { ResourceNotFoundError } from '@signalbox/mcp-core';
import type { RequestContext } from '@signalbox/mcp-core/server';
import { ambiguousPlace, resolveLocation } from '../location/resolve-location.ts';
import type { ToolSetup } from '../tools/tool-setup.ts';
import { WeatherError } from '../weather-error.ts';
import { asProtocolError } from './protocol-error.ts';
import { readWeather, type ResourceSubject } from './read-weather.ts';
import { parseWeatherUri, WMO_CODES_URI } from './weather-uri.ts';

export interface ResourcePollsOptions {
  readonly setup: ToolSetup;
  /** Interval in milliseconds; default: when the cached value expires, at least a minute. */
  readonly pollMs?: number | undefined;
  readonly onChange: (uri: string) => void;
  readonly debug: (message: string) => void;
}

/** Shortest default interval, also after a failure. */
const MIN_INTERVAL_MS = 60_000;

/**
 * Requests subscribed resources again, and reports those whose values changed; a new time of
 * observation alone is no change. A resource is requested while it has subscribers.
 */
export class ResourcePolls {
  readonly #options: ResourcePollsOptions;
  readonly #polls = new Map<string, Poll>();

  constructor(options: ResourcePollsOptions) {
    this.#options = options;
  }

  /** Number of resources that are requested again. */
  get size(): number {
    return this.#polls.size;
  }

  /**
   * Subscribes to a resource. The result ends the subscription.
   * @throws ResourceNotFoundError for an unknown place or area; ProtocolError for an ambiguous name
   * and an unavailable service
   */
  async subscribe(uri: string, { signal }: Pick<RequestContext, 'signal'>): Promise<() => void> {
    if (uri === WMO_CODES_URI) return () => undefined;
    const subject = await asProtocolError(uri, () => this.#subjectOf(uri, signal));
    const first = await asProtocolError(uri, () =>
      readWeather(subject, this.#options.setup, { signal }),
    );
    signal.throwIfAborted();
    const poll = this.#polls.get(uri) ?? this.#start(uri, subject, first.reading);
    poll.subscribers += 1;
    let isAttached = true;
    return () => {
      if (!isAttached) return;
      isAttached = false;
      poll.subscribers -= 1;
      if (poll.subscribers === 0) this.#stop(uri, poll);
    };
  }

  close(): void {
    for (const [uri, poll] of this.#polls) this.#stop(uri, poll);
  }

  async #subjectOf(uri: string, signal: AbortSignal): Promise<ResourceSubject> {
    const name = parseWeatherUri(uri);
    if (name === undefined) throw new ResourceNotFoundError(uri);
    if (name.kind === 'alerts') return { kind: name.kind, area: name.place };
    const resolution = await resolveLocation(name.place, this.#options.setup.provider, signal);
    if (resolution.kind === 'ambiguous') throw ambiguousPlace(name.place, resolution.candidates);
    return { kind: name.kind, place: resolution.place };
  }

  #start(uri: string, subject: ResourceSubject, first: Reading): Poll {
    const poll: Poll = {
      subject,
      subscribers: 0,
      values: valuesOf(first.value),
      controller: new AbortController(),
    };
    this.#polls.set(uri, poll);
    this.#schedule(uri, poll, first.freshForMs);
    return poll;
  }

  #stop(uri: string, poll: Poll): void {
    poll.controller.abort();
    clearTimeout(poll.timer);
    this.#polls.delete(uri);
  }

  #schedule(uri: string, poll: Poll, freshForMs: number): void {
    const waitMs = this.#options.pollMs ?? Math.max(freshForMs, MIN_INTERVAL_MS);
    poll.timer = setTimeout(() => void this.#run(uri, poll), waitMs);
    poll.timer.unref();
  }

  async #run(uri: string, poll: Poll): Promise<void> {
    const { setup, pollMs, onChange, debug } = this.#options;
    const { signal } = poll.controller;
    let freshForMs = 0;
    try {
      // A set interval may be shorter than the cache keeps a value.
      const maxAgeMs = pollMs === undefined ? undefined : pollMs / 2;
      const { reading } = await readWeather(poll.subject, setup, { signal, maxAgeMs });
      if (signal.aborted) return;
      freshForMs = reading.freshForMs;
      const values = valuesOf(reading.value);
      if (values !== poll.values) {
        poll.values = values;
        onChange(uri);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof WeatherError)) throw error;
      debug(`${uri} could not be requested again: ${error.message}`);
    }
    this.#schedule(uri, poll, freshForMs);
  }
}

type Reading = Awaited<ReturnType<typeof readWeather>>['reading'];

interface Poll {
  readonly subject: ResourceSubject;
  readonly controller: AbortController;
  subscribers: number;
  /** The values that subscribers know. */
  values: string;
  timer?: NodeJS.Timeout;
}

/** Returns the values as text, without the time of their observation. */
function valuesOf(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) =>
    name === 'observedAt' ? undefined : member,
  );
}
