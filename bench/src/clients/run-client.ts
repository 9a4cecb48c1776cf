// Runs one client library in this process against the floor server and sends the figures to the parent.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { drive } from '../drive.ts';
import { perOperation, type Figures } from '../figures.ts';
import { FLOOR_SERVER } from '../implementations.ts';
import { CALLS_IN_FLIGHT, FLOOD_NOTIFICATIONS } from '../load.ts';
import type { ClientTask } from '../measure-client.ts';
import type { BenchClient, ConnectBenchClient } from './bench-client.ts';

// The parent wrote it.
const { module, era, load } = JSON.parse(process.argv[2] ?? '') as ClientTask;
const { connect } = (await import(module)) as { readonly connect: ConnectBenchClient };
const client = await connect(FLOOR_SERVER, era);
const call = (): Promise<void> => callEcho(client);
const list = (): Promise<void> => listTools(client);

await drive(load.warmUpCalls / 10, 1, call);
await drive(load.warmUpCalls * 0.9, CALLS_IN_FLIGHT, call);
const clientSequential = await measure(load.sequentialCalls, () => drive(load.sequentialCalls, 1, call));
const clientConcurrent = await measure(load.concurrentCalls, () => drive(load.concurrentCalls, CALLS_IN_FLIGHT, call));
await drive(load.lists / 2, 1, list);
const clientList = await measure(load.lists, () => drive(load.lists, 1, list));
let heard = 0;
const flood = (): Promise<void> => client.flood(FLOOD_NOTIFICATIONS, () => (heard += 1));
await drive(1, 1, flood);
await nextTurn();
heard = 0;
const sent = load.floods * FLOOD_NOTIFICATIONS;
const flooded = await measure(sent, () => drive(load.floods, 1, flood));
// What is delivered after the answer counts, too.
await nextTurn();
await client.close();
process.send?.({ clientSequential, clientConcurrent, clientList, flood: { ...flooded, lostPerCall: (sent - heard) / load.floods } });

async function measure(operations: number, work: () => Promise<number>): Promise<Figures> {
  const before = process.cpuUsage();
  const elapsedMs = await work();
  const { user, system } = process.cpuUsage(before);
  return perOperation({ elapsedMs, cpuMicros: user + system, operations });
}

async function callEcho(caller: BenchClient): Promise<void> {
  if ((await caller.echo('good day')) !== 'good day') throw new Error('echo answered something else');
}

async function listTools(lister: BenchClient): Promise<void> {
  if ((await lister.listTools()) !== 30) throw new Error('tools/list did not answer with 30 tools');
}
