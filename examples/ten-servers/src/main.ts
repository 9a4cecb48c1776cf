import { join } from 'node:path';
import type { Transport } from '@signalbox/mcp-core';
import type { InputHandlers } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { serveHttp } from '@signalbox/mcp-core/http/server';
import { spawnStdio, type ChildTransport } from '@signalbox/mcp-core/stdio';
import { createExampleServer } from './example-server.ts';
import { Host, type HostServer } from './host.ts';

const children: ChildTransport[] = [];

function overStdio(name: string): HostServer {
  const args = [...process.execArgv, join(import.meta.dirname, 'stdio-server.ts'), name];
  return {
    name,
    open: (): Transport => {
      const child = spawnStdio({ command: 'node', args, graceMs: 20_000 });
      children.push(child);
      return child;
    },
  };
}

const handlers = (server: string): InputHandlers => ({
  elicit: ({ message }) => {
    print(`${server} asks the user: ${message}`);
    return Promise.resolve({ action: 'accept', content: { place: 'Rome' } });
  },
  sample: () => {
    print(`${server} asks the model`);
    const content = { type: 'text', text: 'Walk.' } as const;
    return Promise.resolve({ role: 'assistant', content, model: 'an example' });
  },
});

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Resolves when the host has this number of tools. */
async function untilTools(count: number): Promise<void> {
  while (host.tools.length !== count) await changed.promise;
}

const remote = ['atlas', 'bank', 'chat', 'docs', 'events', 'forms', 'games', 'home'];
const listeners = await Promise.all(remote.map((name) => serveHttp(createExampleServer(name))));
let changed = Promise.withResolvers<void>();

const host = await Host.connect({
  servers: [
    ...remote.map((name, index) => ({
      name,
      open: () => httpTransport({ url: listeners[index]?.url ?? '' }),
    })),
    overStdio('local'),
    overStdio('crashing'),
  ],
  handlers,
  onToolsChanged: () => {
    changed.resolve();
    changed = Promise.withResolvers();
  },
  onProblem: (server, problem) => print(`${server}: ${String(problem)}`),
});
const count = host.tools.length;
print(`${String(count)} tools`);

const names = host.tools.map(({ name }) => name).filter((name) => name.endsWith('__describe'));
const described = await Promise.all(names.map((name) => host.call(name, {})));
print(described.map(({ content: [block] }) => block?.type === 'text' && block.text).join(' '));

await host.call('local__plan', {});

await host.call('docs__grow', {});
await untilTools(count + 1);
print(`${String(count + 1)} tools`);

const cancel = new AbortController();
const lost = untilTools(count + 1 - count / names.length);
const calls = await Promise.allSettled([
  host.call('bank__wait', {}, { timeoutMs: 50 }),
  host.call('chat__wait', {}, { signal: cancel.signal, onProgress: () => cancel.abort() }),
  host.call('crashing__crash', {}),
]);
await lost;
for (const call of calls) print(call.status === 'rejected' ? String(call.reason) : 'not rejected');

await untilTools(count + 1);
print('The server that crashed is back.');

await host.close();
await Promise.all(listeners.map((listener) => listener.close()));
const exits = await Promise.all(children.map(({ exited }) => exited));
print(`Exit codes of processes: ${exits.map(({ code }) => String(code)).join(', ')}`);
