import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Random } from '../random.ts';
import { McpClient } from './mcp-client.ts';
import { SESSION_IDLE_MS, TASK_TTL_MS, type ServerUnderTest } from './server-under-test.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Turns within which a server must have ended everything. */
const TURNS_TO_END = 300;

export const PRINCIPAL = 'somebody';

export interface Remains {
  readonly tested: ServerUnderTest;
  readonly clock: VirtualClock;
  /** Steps of the scenario, for the error. */
  readonly where: string;
}

/**
 * Waits until nothing of clients that have left is attached, running or counted.
 * @throws Error when something is
 */
export async function expectNothing(
  clients: readonly McpClient[],
  random: Random,
  { tested, clock, where }: Remains,
): Promise<void> {
  const { handler } = tested;
  await until(() => handler.stats().requests === 0, {
    tested,
    clock,
    where: `${where}: requests still run`,
  });
  for (const client of clients) await endSession(client, random, tested);
  clock.advance(TASK_TTL_MS);
  await until(() => tested.remains() === '', { tested, clock, where });
  // The timer of the handler remains.
  await until(() => clock.pending <= 1, { tested, clock, where: `${where}: timers are left` });
}

/** Waits for a condition, while hours pass. */
export async function until(
  isDone: () => boolean,
  { tested, clock, where }: Remains,
): Promise<void> {
  for (let turn = 0; !isDone(); turn += 1) {
    if (turn === TURNS_TO_END)
      throw new Error(`${where}: ${tested.remains()} after ${String(turn)} turns`);
    // A sweep sees a session in use once, and idle the next time.
    if (turn % 10 === 9) clock.advance(2 * SESSION_IDLE_MS);
    await nextTurn();
  }
}

/** Ends a session that the client knows, mostly; others expire. */
async function endSession(
  { sessionId }: McpClient,
  random: Random,
  tested: ServerUnderTest,
): Promise<void> {
  if (sessionId === undefined || random.chance(3)) return;
  const closer = new McpClient(tested.openWire('destroy'), PRINCIPAL);
  await closer.send({ method: 'DELETE', headers: { 'mcp-session-id': sessionId } });
  closer.leave();
}
