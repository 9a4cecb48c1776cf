import { vi } from 'vitest';
import type { LocalError } from '../../protocol/errors.ts';
import type { Client } from '../client.ts';
import type { ClientOptions } from '../client-options.ts';
import { connectClient } from '../connect-client.ts';
import {
  discovered,
  initialized,
  ScriptedServer,
  type Step,
} from './scripted-server.test.support.ts';

export interface Connected {
  readonly client: Client;
  readonly server: ScriptedServer;
}

export type Script = { [method: string]: Step };

export async function connectLegacy(
  script: Script = {},
  options: Partial<ClientOptions> = {},
): Promise<Connected> {
  const server = new ScriptedServer({ initialize: initialized(), ...script });
  return {
    server,
    client: await connectClient(() => server, {
      info: { name: 't', version: '0' },
      era: 'legacy',
      ...options,
    }),
  };
}

export async function connectModern(
  script: Script = {},
  options: Partial<ClientOptions> = {},
): Promise<Connected> {
  const server = new ScriptedServer({ 'server/discover': discovered, ...script });
  return {
    server,
    client: await connectClient(() => server, {
      info: { name: 't', version: '0' },
      era: 'modern',
      ...options,
    }),
  };
}

/** Counts how a promise settles: never more than once, however often the server answers. */
export function settling(call: Promise<unknown>): { value?: unknown; error?: LocalError } {
  const settled: { value?: unknown; error?: LocalError } = {};
  call.then(
    (value) => (settled.value = value),
    (error: unknown) => (settled.error = error as LocalError),
  );
  return settled;
}

/** With fake timers: what is due now happens. */
export const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
export const done = { result: { content: [{ type: 'text', text: 'done' }] } };
