import { setImmediate as nextTurn } from 'node:timers/promises';
import { expectNothing, PRINCIPAL } from './expect-nothing.ts';
import type { DisconnectScope } from './leave-at-every-turn.ts';
import { McpClient } from './mcp-client.ts';
import { scenarios } from './scenarios.ts';
import { ServerUnderTest, type Face } from './server-under-test.ts';
import { TurnCounter } from './turn-counter.ts';
import { DEPARTURES } from './wire.ts';

const MOST_CLIENTS = 6;
/** Clients leave before this turn. */
const LAST_TURN = 600;

/**
 * Runs random scenarios concurrently on one server, and disconnects each client at a random turn.
 * @throws Error when something stays attached, running or counted
 */
export async function leaveAtRandomTurns(
  face: Face,
  { clock, random, count }: DisconnectScope,
  round: number,
): Promise<void> {
  const isStateless = random.chance(8);
  const tested = new ServerUnderTest(face, { isStateless });
  const possible = scenarios.filter(
    (scenario) => scenario.isEndless !== true && (scenario.isStateless === true) === isStateless,
  );
  const counter = new TurnCounter();
  const left: string[] = [];
  counter.start();
  const clients = Array.from({ length: 1 + random.below(MOST_CLIENTS) }, () => {
    const departure = DEPARTURES[random.below(DEPARTURES.length)] ?? 'destroy';
    const scenario = possible[random.below(possible.length)];
    const turn = 1 + random.below(LAST_TURN);
    const client = new McpClient(tested.openWire(departure), PRINCIPAL);
    counter.at(turn, () => client.leave());
    left.push(`${String(scenario?.name)} ${departure} at turn ${String(turn)}`);
    // It fails because its client leaves, or another client changes what the server sends.
    scenario?.run(client, tested).catch(() => undefined);
    return client;
  });
  while (counter.turn <= LAST_TURN) await nextTurn();
  counter.stop();
  const where = `round ${String(round)} (${face}): ${left.join(', ')}`;
  await expectNothing(clients, random, { tested, clock, where });
  await tested.handler.close();
  count.departures += clients.length;
  for (const { sent } of clients) count.messages += sent;
}
