import { setTimeout as wait } from 'node:timers/promises';
import { slowness } from '../support/slowness.ts';
import { FAULTS, type BegunFault, type FaultContext, type FaultKind } from './faults.ts';
import type { Seeded } from './seeded.ts';

/** Faults close together, after which every run had to continue. */
export interface Burst {
  readonly kinds: readonly FaultKind[];
  /** Faults with their victims. */
  readonly text: string;
  /** Runs that were in progress. */
  readonly runs: number;
  /** Milliseconds from the last fault, or from the end of its outage, until each run had another event. */
  readonly recoveryMs: number;
  /** How many times slower than without other work the machine was, if the recovery took too long; otherwise 1. */
  readonly slowness: number;
  readonly problems: readonly string[];
}

export interface DisruptorOptions extends FaultContext {
  /** Kinds of faults, each of which comes once before any comes again. */
  readonly kinds: readonly FaultKind[];
  /** Bursts before the faults end. Default: no limit. */
  readonly bursts?: number | undefined;
  /** Maximum number of faults in a burst. */
  readonly faultsPerBurst: number;
  /** Milliseconds for which the test waits until every run continues. */
  readonly patienceMs: number;
  readonly onBurst?: (burst: Burst) => void;
}

/** Time within which every run must continue after a fault, in milliseconds on a machine without other work. */
export const RECOVERY_LIMIT_MS = 10_000;

const POLL_MS = 20;
/** Time that a burst waits for effects between its faults; a fault can stop all work. */
const PAUSE_LIMIT_MS = 3000;

/** Makes bursts of faults until the signal, or until there were enough. Then everything runs again. */
export async function disrupt(
  options: DisruptorOptions,
  signal: AbortSignal,
): Promise<readonly Burst[]> {
  const { random, kinds, onBurst, bursts: limit = Infinity } = options;
  const bursts: Burst[] = [];
  const deck = new Deck(kinds, random);
  while (bursts.length < limit && (await effects(options, random.between(3, 30), signal))) {
    const burst = await disruptOnce(options, deck, signal);
    if (burst === undefined) continue;
    bursts.push(burst);
    onBurst?.(burst);
  }
  return bursts;
}

async function disruptOnce(
  options: DisruptorOptions,
  deck: Deck,
  signal: AbortSignal,
): Promise<Burst | undefined> {
  const { random, environment, evidence, faultsPerBurst, patienceMs } = options;
  const begun: (BegunFault & { readonly kind: FaultKind })[] = [];
  for (let left = random.between(1, faultsPerBurst); left > 0; left -= 1) {
    if (begun.length > 0)
      await effects(
        options,
        random.between(1, 20),
        AbortSignal.any([signal, AbortSignal.timeout(PAUSE_LIMIT_MS)]),
      );
    const kind = deck.draw();
    const fault = await FAULTS[kind](options);
    if (fault !== undefined) begun.push({ kind, ...fault });
  }
  if (begun.length === 0) return undefined;
  await Promise.all(begun.map(({ recoveryBegins }) => recoveryBegins));
  const since = performance.now();
  const runs = await environment.records.runsInProgress();
  let standing = evidence.standing(runs);
  while (standing.length > 0 && performance.now() < since + patienceMs) {
    await wait(POLL_MS);
    standing = evidence.standing(runs);
  }
  const recoveryMs = performance.now() - since;
  const text = begun.map((fault) => `${fault.kind} (${fault.text})`).join(', ');
  const problems = (await Promise.all(begun.map(({ over }) => over))).filter(
    (problem) => problem !== undefined,
  );
  const factor = recoveryMs > RECOVERY_LIMIT_MS ? slowness() : 1;
  if (standing.length > 0)
    problems.push(
      `after ${text} no event came within ${patienceMs} ms for the runs ${standing.join(' ')}`,
    );
  else if (recoveryMs > RECOVERY_LIMIT_MS * factor)
    problems.push(
      `after ${text} it took ${recoveryMs.toFixed(0)} ms until every run had another event`,
    );
  const kinds = begun.map(({ kind }) => kind);
  return { kinds, text, runs: runs.size, recoveryMs, slowness: factor, problems };
}

/** Waits for so many effects. Returns false when the signal ended the wait. */
async function effects(
  { evidence }: FaultContext,
  count: number,
  signal: AbortSignal,
): Promise<boolean> {
  const goal = evidence.effects.count + count;
  while (!signal.aborted && evidence.effects.count < goal) await wait(POLL_MS);
  return !signal.aborted;
}

/** The kinds of faults in random order, again and again. */
class Deck {
  readonly #kinds: readonly FaultKind[];
  readonly #random: Seeded;
  #left: FaultKind[] = [];

  constructor(kinds: readonly FaultKind[], random: Seeded) {
    this.#kinds = kinds;
    this.#random = random;
  }

  draw(): FaultKind {
    if (this.#left.length === 0) this.#left = [...this.#kinds];
    const [drawn] = this.#left.splice(this.#random.between(0, this.#left.length - 1), 1);
    if (drawn === undefined) throw new Error('there are no kinds of faults');
    return drawn;
  }
}
