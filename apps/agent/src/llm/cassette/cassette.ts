import type { CassetteConfig } from '../../config/config.ts';
import type { Clock } from '../../ports/clock.ts';
import { recordCassette } from './record-cassette.ts';
import { replayCassette } from './replay-cassette.ts';

/** Stands between an SDK and the network. */
export interface Cassette {
  /** What the SDK is to send with. */
  readonly fetch: typeof fetch;
  /** Recorded answers that nobody asked for, yet; 0 while recording. */
  unused(): number;
}

/**
 * Begins a cassette, or loads one. A new one is private to the user; it holds prompts, tool results and answers, but no header of a request and no key.
 * @throws ConfigError when the file to be recorded exists or cannot be written, or the one to be replayed cannot be read
 */
export function openCassette({ mode, file }: CassetteConfig, clock: Pick<Clock, 'now'>): Cassette {
  return mode === 'record' ? recordCassette(file, clock) : replayCassette(file);
}
