import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { postJson, type RunView } from '../agent/rest.ts';
import { startFakeModel } from '../agents/fake-model.ts';
import { median, type Figures } from '../figures.ts';
import type { Combination } from './combinations.ts';
import { Deployment } from './deployment.ts';
import type { Engines } from './engines.ts';
import { percentile } from './percentile.ts';

const HELD_SERVER = fileURLToPath(new URL('held-server.mjs', import.meta.url));
const WARM_UP = 5;

/** Measures the time from the request to cancel a run until its tool call is aborted in the MCP server of a worker. */
export async function measureCancellation(
  engines: Engines,
  combination: Combination,
  cancellations: number,
): Promise<Figures> {
  await using calls = await listen();
  await using model = await startFakeModel({ turns: 1 });
  await using service = await Deployment.start({
    engines,
    combination,
    modelUrl: model.url,
    serverArguments: [HELD_SERVER, String(calls.port)],
  });
  const times: number[] = [];
  for (let count = 0; count < WARM_UP + cancellations; count += 1) {
    const begun = calls.next('begun');
    const { id } = await postJson<RunView>(`${service.url}/v1/runs`, { prompt: 'work' });
    await begun;
    const cancelled = calls.next('cancelled');
    const requestedAt = performance.now();
    const [endedAt] = await Promise.all([
      cancelled,
      postJson(`${service.url}/v1/runs/${id}/cancel`, {}),
    ]);
    times.push(endedAt - requestedAt);
  }
  const measured = times.slice(WARM_UP);
  return {
    cancel50: median(measured),
    cancel99: percentile(measured, 0.99),
    cancelMax: Math.max(...measured),
  };
}

interface Calls extends AsyncDisposable {
  readonly port: number;
  /** Resolves with the time at which a server writes the line next. */
  next(line: 'begun' | 'cancelled'): Promise<number>;
}

async function listen(): Promise<Calls> {
  const waiting = new Map<string, (time: number) => void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    createInterface({ input: socket }).on('line', (line) => {
      waiting.get(line)?.(performance.now());
      waiting.delete(line);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    next: (line) => new Promise((resolve) => void waiting.set(line, resolve)),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
