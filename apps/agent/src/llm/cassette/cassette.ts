import type { CassetteConfig } from '../../config/config.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Cassette } from './exchange.ts';
import { recordCassette } from './record-cassette.ts';
import { replayCassette } from './replay-cassette.ts';

/**
 * Starts recording a cassette, or loads one for replay. A new file is readable by the user only. It
 * holds prompts, tool results and answers, but no request header and no key.
 * @throws ConfigError when the file to record exists or cannot be written, or the file to replay
 * cannot be read
 */
export function openCassette({ mode, file }: CassetteConfig, clock: Pick<Clock, 'now'>): Cassette {
  return mode === 'record' ? recordCassette(file, clock) : replayCassette(file);
}
