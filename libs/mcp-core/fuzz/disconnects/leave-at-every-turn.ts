import { setImmediate as nextTurn } from 'node:timers/promises';
import { collectGarbage } from '../collect-garbage.ts';
import type { Random } from '../random.ts';
import { expectNothing, PRINCIPAL, until, type Remains } from './expect-nothing.ts';
import { McpClient } from './mcp-client.ts';
import type { Scenario } from './scenarios.ts';
import { ServerUnderTest, TASK_TTL_MS, type Face } from './server-under-test.ts';
import { TurnCounter } from './turn-counter.ts';
import type { VirtualClock } from './virtual-clock.ts';
import { DEPARTURES, type Departure } from './wire.ts';

export interface DisconnectScope {
  readonly clock: VirtualClock;
  readonly random: Random;
  /** Turns from one departure of a scenario to the next; 1 is every turn. */
  readonly stride: number;
  readonly count: {
    departures: number;
    /** HTTP requests. */
    messages: number;
  };
}

/** Turns after which a scenario whose client does not read is left. */
export const MOST_TURNS = 5000;
/** Requests that the platform may still reference after a garbage collection. */
const REFERENCED_BY_PLATFORM = 32;

/**
 * Disconnects the client of a scenario before each of its turns, in every way, and closes the
 * handler before each turn.
 * @throws Error when something stays attached, running or counted
 */
export async function leaveAtEveryTurn(
  face: Face,
  scenario: Scenario,
  scope: DisconnectScope,
): Promise<void> {
  await new Bench(face, scenario, scope).run();
}

class Bench {
  readonly #face: Face;
  readonly #scenario: Scenario;
  readonly #scope: DisconnectScope;
  readonly #counter = new TurnCounter();
  #tested: ServerUnderTest;

  constructor(face: Face, scenario: Scenario, scope: DisconnectScope) {
    this.#face = face;
    this.#scenario = scenario;
    this.#scope = scope;
    this.#tested = this.#serve();
  }

  async run(): Promise<void> {
    const turns = await this.#close(MOST_TURNS);
    if (this.#scenario.isEndless !== true) {
      this.#tested = this.#serve();
      for (const departure of DEPARTURES)
        for (const turn of this.#turns(turns)) await this.#leave(departure, turn);
      await this.#expectNoReferences();
      await this.#tested.handler.close();
    }
    for (const turn of this.#turns(turns)) await this.#close(turn);
  }

  *#turns(last: number): Generator<number> {
    const { random, stride } = this.#scope;
    for (let turn = random.below(stride); turn <= last; turn += stride) yield turn;
  }

  #serve(): ServerUnderTest {
    return new ServerUnderTest(this.#face, { isStateless: this.#scenario.isStateless === true });
  }

  /** Runs the scenario and leaves before a turn. */
  async #leave(departure: Departure, turn: number): Promise<void> {
    const client = new McpClient(this.#tested.openWire(departure), PRINCIPAL);
    const remains = this.#remains(`${departure} at turn ${String(turn)}`);
    await this.#runUntil(client, { turn, call: () => client.leave(), remains });
    client.leave();
    await expectNothing([client], this.#scope.random, remains);
  }

  /**
   * Runs the scenario and closes the handler before a turn, while the client stays; returns the
   * turns until then.
   */
  async #close(turn: number): Promise<number> {
    this.#tested = this.#serve();
    const tested = this.#tested;
    const remains = this.#remains(`close at turn ${String(turn)}`);
    const client = new McpClient(tested.openWire('destroy'), PRINCIPAL);
    let isClosed = false;
    const close = (): void => {
      void Promise.all([tested.handler.close(), tested.server.stopTasks()]).then(
        () => (isClosed = true),
      );
    };
    const turns = await this.#runUntil(client, { turn, call: close, remains });
    close();
    await until(() => isClosed && tested.handlers === 0, remains);
    client.leave();
    this.#scope.clock.advance(TASK_TTL_MS);
    await until(() => tested.remains() === '' && this.#scope.clock.pending === 0, remains);
    return turns;
  }

  #remains(what: string): Remains {
    const where = `${this.#scenario.name} (${this.#face}), ${what}`;
    return { tested: this.#tested, clock: this.#scope.clock, where };
  }

  /** Runs the scenario until the turn, or to its end when that is earlier; returns its turns. */
  async #runUntil(
    client: McpClient,
    {
      turn,
      call,
      remains,
    }: { readonly turn: number; readonly call: () => void; readonly remains: Remains },
  ): Promise<number> {
    const state: { hasCalled: boolean; isDone: boolean; failure?: Error } = {
      hasCalled: false,
      isDone: false,
    };
    this.#counter.start();
    this.#counter.at(turn, () => {
      state.hasCalled = true;
      call();
    });
    this.#scenario.run(client, this.#tested).then(
      () => (state.isDone = true),
      (error: unknown) => {
        state.failure = new Error(`${remains.where}: the scenario failed`, { cause: error });
      },
    );
    while (
      !state.hasCalled &&
      !state.isDone &&
      state.failure === undefined &&
      this.#counter.turn < MOST_TURNS
    )
      await nextTurn();
    this.#counter.stop();
    this.#scope.count.departures += 1;
    this.#scope.count.messages += client.sent;
    if (state.failure !== undefined && !state.hasCalled) throw state.failure;
    return this.#counter.turn;
  }

  /** Requests that only listeners reference stay in memory. */
  async #expectNoReferences(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    collectGarbage();
    const { requestsInMemory } = this.#tested;
    if (requestsInMemory > REFERENCED_BY_PLATFORM)
      throw new Error(
        `${this.#scenario.name} (${this.#face}): ${String(requestsInMemory)} requests are still referenced`,
      );
  }
}
