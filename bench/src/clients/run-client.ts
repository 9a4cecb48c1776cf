// Runs one client library in this process against the floor's server and sends the figures to the parent.
import { TOOLS } from '../catalog.mjs';
import { exercise } from '../exercise.ts';
import { FLOOR_HTTP_SERVER, FLOOR_SERVER } from '../implementations.ts';
import { textOfCalls } from '../load.ts';
import type { ClientTask } from '../measure-client.ts';
import { startHttpServer } from '../server-process.ts';
import type { ConnectBenchClient } from './bench-client.ts';

// The parent wrote it.
const { module, transport, era, load } = JSON.parse(process.argv[2] ?? '') as ClientTask;
const { connect } = (await import(module)) as { readonly connect: ConnectBenchClient };
const listener =
  transport === 'http'
    ? await startHttpServer([FLOOR_HTTP_SERVER, era === 'modern' ? 'modern' : 'sessions'], [])
    : undefined;
const client = await connect(listener ?? { program: FLOOR_SERVER }, era);

const text = textOfCalls(load);
const figures = await exercise(
  {
    call: async () => {
      if ((await client.echo(text)) !== text) throw new Error('echo answered something else');
    },
    list: async () => {
      if ((await client.listTools()) !== TOOLS)
        throw new Error(`tools/list did not answer with ${String(TOOLS)} tools`);
    },
    flood: (notifications, onProgress) => client.flood(notifications, onProgress),
    cpuMicros: () => {
      const { user, system } = process.cpuUsage();
      return user + system;
    },
  },
  load,
);
await client.close();
await listener?.stop();
process.send?.(figures);
process.disconnect();
