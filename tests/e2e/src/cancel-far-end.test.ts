import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startCountingServer } from './crash-matrix/counting-process.ts';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder } from './support/service.ts';

const program = fileURLToPath(new URL('crash-matrix/counting-server.ts', import.meta.url));

let remote: Awaited<ReturnType<typeof startCountingServer>>;
beforeAll(async () => {
  remote = await startCountingServer();
});
afterAll(() => remote.stop());

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
    const folder = await temporaryFolder();
    const ledger = join(folder.path, 'ledger');
    const scenario = await writeScenario(folder.path, [
      {
        prompt: 'hold',
        steps: [[{ tool: `counting__${tool}`, input: { ledger, hold: true } }]],
        answer: 'done',
      },
    ]);
    const rules = { trust: true, approval: 'auto', era };
    const server =
      wire === 'http'
        ? { url: remote.url, signalbox: rules }
        : { command: 'node', args: [program], signalbox: rules };
    const service = await startService({
      folder: folder.path,
      config: { llm: { provider: 'scripted', scenario }, mcpServers: { counting: server } },
    });
    try {
      const api = new ApiClient(service.url);
      const { id } = await api.start('hold');
      await vi.waitFor(() => expect(existsSync(ledger)).toBe(true), { timeout: 10_000 });
      if (tool === 'work') await api.waitFor(id, ({ type }) => type === 'tool_call.working');
      await api.post(`/v1/runs/${id}/cancel`);
      expect(await api.settled(id)).toMatchObject({ status: 'cancelled' });
      await vi.waitFor(() => expect(existsSync(`${ledger}.stopped`)).toBe(true), { timeout: 5000 });
      expect(await api.toolCalls(id)).toMatchObject([{ state: 'cancelled', cancel: level }]);
    } finally {
      await service.stop();
      await folder.remove();
    }
  },
);
