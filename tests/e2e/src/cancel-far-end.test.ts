import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startCountingServer } from './crash-matrix/counting-process.ts';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const program = fileURLToPath(new URL('crash-matrix/counting-server.ts', import.meta.url));

const ERAS = ['legacy', 'modern'] as const;
const TOOLS = ['append', 'work'] as const;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let remote: Awaited<ReturnType<typeof startCountingServer>>;
let service: Service;
let api: ApiClient;

const ledgerOf = (server: string, tool: string): string =>
  join(folder.path, `ledger-${server}-${tool}`);

/** A service with a server of each era over each wire. */
beforeAll(async () => {
  folder = await temporaryFolder();
  remote = await startCountingServer();
  const servers = Object.fromEntries(
    ERAS.flatMap((era) => {
      const signalbox = { trust: true, approval: 'auto', era };
      return [
        [`http-${era}`, { url: remote.url, signalbox }],
        [`stdio-${era}`, { command: 'node', args: [program], signalbox }],
      ];
    }),
  ) as { readonly [name: string]: object };
  const scenario = await writeScenario(
    folder.path,
    Object.keys(servers).flatMap((name) =>
      TOOLS.map((tool) => ({
        prompt: `hold ${tool} of ${name}`,
        steps: [
          [{ tool: `${name}__${tool}`, input: { ledger: ledgerOf(name, tool), hold: true } }],
        ],
        answer: 'done',
      })),
    ),
  );
  service = await startService({
    folder: folder.path,
    config: { llm: { provider: 'scripted', scenario }, mcpServers: servers },
  });
  api = new ApiClient(service.url);
});
afterAll(async () => {
  await service.stop();
  await remote.stop();
  await folder.remove();
});

test.for([
  { wire: 'stdio', era: 'legacy', tool: 'append', level: 'delivered' },
  { wire: 'stdio', era: 'modern', tool: 'append', level: 'delivered' },
  // Requests over HTTP have no order, so a later answer proves nothing.
  { wire: 'http', era: 'legacy', tool: 'append', level: 'sent' },
  { wire: 'http', era: 'modern', tool: 'append', level: 'sent' },
  { wire: 'stdio', era: 'legacy', tool: 'work', level: 'confirmed' },
  { wire: 'stdio', era: 'modern', tool: 'work', level: 'confirmed' },
  { wire: 'http', era: 'legacy', tool: 'work', level: 'confirmed' },
  { wire: 'http', era: 'modern', tool: 'work', level: 'confirmed' },
] as const)(
  'cancelling a run reaches the far end: $tool of a $era server over $wire',
  async ({ wire, era, tool, level }) => {
    const server = `${wire}-${era}`;
    const ledger = ledgerOf(server, tool);
    const { id } = await api.start(`hold ${tool} of ${server}`);
    await vi.waitFor(() => expect(existsSync(ledger)).toBe(true), { timeout: 10_000 });
    if (tool === 'work') await api.waitFor(id, ({ type }) => type === 'tool_call.working');
    await api.post(`/v1/runs/${id}/cancel`);
    expect(await api.settled(id)).toMatchObject({ status: 'cancelled' });
    await vi.waitFor(() => expect(existsSync(`${ledger}.stopped`)).toBe(true), { timeout: 5000 });
    expect(await api.toolCalls(id)).toMatchObject([{ state: 'cancelled', cancel: level }]);
  },
);
