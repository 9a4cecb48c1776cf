import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Era } from '@signalbox/mcp-core';
import type { FiguresByTable } from './figures.ts';
import type { Implementation } from './implementations.ts';
import type { CallLoad } from './load.ts';
import type { MeasureOptions } from './measure-server.ts';

export type TransportKind = 'stdio' | 'http';

/** Instructions for the process of a client. */
export interface ClientTask {
  /** Path of a module that exports `connect`. */
  readonly module: string;
  readonly transport: TransportKind;
  readonly era: Era;
  readonly load: CallLoad;
}

const RUN_CLIENT = fileURLToPath(new URL('clients/run-client.ts', import.meta.url));

/**
 * Lets a client, in a process of its own, call the floor's server.
 * @throws Error when the process ends without figures
 */
export async function measureClient(
  { name, client }: Pick<Implementation, 'name' | 'client'>,
  { transport, era }: Pick<ClientTask, 'transport' | 'era'>,
  { load, nodeArguments }: MeasureOptions,
): Promise<FiguresByTable> {
  const task: ClientTask = { module: client, transport, era, load };
  const child = fork(RUN_CLIENT, [JSON.stringify(task)], { execArgv: [...nodeArguments] });
  const exited = once(child, 'exit');
  const [figures] = (await Promise.race([
    once(child, 'message'),
    once(child, 'disconnect'),
  ])) as readonly unknown[];
  if (figures === undefined) throw new Error(`The client of ${name} ended without figures`);
  await exited;
  return figures as FiguresByTable;
}
