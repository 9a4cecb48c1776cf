import { Random } from '../random.ts';
import { leaveAtEveryTurn } from './leave-at-every-turn.ts';
import { leaveAtRandomTurns } from './leave-at-random-turns.ts';
import { scenarios } from './scenarios.ts';
import { FACES } from './server-under-test.ts';
import { VirtualClock } from './virtual-clock.ts';

/** Name of the target in reports and options. */
export const DISCONNECTS = 'disconnects';

export interface DisconnectOptions {
  /** HTTP requests; at least one systematic pass is made. */
  readonly messages: number;
  readonly seed: number;
  readonly report: (line: string) => void;
  /** Turns from one departure of a scenario to the next; default 1, every turn. */
  readonly stride?: number;
}

/**
 * Disconnects clients at every turn of every scenario, then several clients of one server at random
 * turns.
 * @throws Error when something stays attached, running or counted
 */
export async function fuzzDisconnects({
  messages,
  seed,
  report,
  stride = 1,
}: DisconnectOptions): Promise<void> {
  const clock = new VirtualClock();
  const start = performance.now();
  const count = { departures: 0, messages: 0 };
  const scope = { clock, random: new Random(seed), stride, count };
  const reportCount = (what: string): void => {
    const rate = Math.round(count.messages / ((performance.now() - start) / 1000));
    report(
      `${DISCONNECTS}: ${String(count.messages)} messages, ${String(count.departures)} departures at ${what} turns, ${String(rate)}/s`,
    );
  };
  try {
    for (const face of FACES)
      for (const scenario of scenarios) await leaveAtEveryTurn(face, scenario, scope);
    reportCount(stride === 1 ? 'all' : 'some');
    for (let round = 0; count.messages < messages; round += 1)
      await leaveAtRandomTurns(FACES[round % FACES.length] ?? 'web', scope, round);
    reportCount('random');
  } finally {
    clock.restore();
  }
}
