import { join } from 'node:path';
import { startStopwatch } from '@signalbox/server-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { serverBin, startService, temporaryFolder, type Service } from './support/service.ts';
import { SLOW_FOLDER_ENTRIES, slowSearch, writeSlowFolder } from './support/slow-search.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let api: ApiClient;

beforeAll(async () => {
  folder = await temporaryFolder();
  const files = join(folder.path, 'files');
  writeSlowFolder(files);
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'search',
      steps: [[{ tool: 'filesystem__search_files', input: slowSearch }]],
      answer: 'searched everything',
    },
    {
      prompt: 'list',
      steps: [[{ tool: 'filesystem__list_directory', input: { path: '.' } }]],
      answer: 'listed',
    },
  ]);
  service = await startService({
    folder: folder.path,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: {
        filesystem: {
          command: 'node',
          args: [serverBin.filesystem, '--log-level', 'debug', files],
          signalbox: { trust: true },
        },
      },
    },
  });
  api = new ApiClient(service.url);
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

interface Servers {
  readonly data: readonly { readonly connections: readonly { readonly pid: number }[] }[];
}

interface Outcome {
  readonly at: number;
  readonly outcome: string;
  readonly scanned: number;
}

/** Log lines of the server process about the searches that ended, in all tests. */
function searches(): Outcome[] {
  return [
    ...service.log().matchAll(/(\S+Z) debug tool=search_files outcome=(\w+)(?: scanned=(\d+))?/g),
  ].map(([, at, outcome, scanned]) => ({
    at: Date.parse(at!),
    outcome: outcome!,
    scanned: Number(scanned),
  }));
}

describe('cancelling a run in the middle of a search', () => {
  test("stops the server's work within 250 ms, and shows the progress of the cancellation", async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const earlier = searches().length;
      const { id } = await api.start('search');
      await api.waitFor(id, (event) => event.type === 'tool_call.progress');
      const { data } = await api.get<Servers>('/v1/servers');
      // The service runs in this process.
      const elapsedMs = startStopwatch({ pid: data[0]!.connections[0]!.pid });
      const answer = await api.post<{ status: string }>(`/v1/runs/${id}/cancel`, {
        reason: 'enough',
      });
      await expect.poll(searches, { interval: 5, timeout: 60_000 }).toHaveLength(earlier + 1);
      expect(elapsedMs()).toBeLessThan(250);
      expect(['cancelling', 'cancelled']).toContain(answer.status);

      const run = await api.settled(id);
      expect(run).toMatchObject({ status: 'cancelled' });
      expect(await api.toolCalls(id)).toMatchObject([{ state: 'cancelled', cancel: 'delivered' }]);
      const search = searches().at(-1)!;
      expect(search).toMatchObject({ outcome: 'cancelled' });
      expect(search.scanned).toBeLessThan(SLOW_FOLDER_ENTRIES);
    }

    // The server was not harmed: the next run uses the same process.
    expect(await api.settled((await api.start('list')).id)).toMatchObject({ status: 'completed' });
    expect(await api.get('/v1/servers')).toMatchObject({ data: [{ state: 'ready', restarts: 0 }] });
  });

  test('control: a search that is not cancelled looks at every entry, and takes longer than the limit', async () => {
    const earlier = searches().length;
    const { id } = await api.start('search');
    const { seq } = await api.waitFor(id, (event) => event.type === 'tool_call.progress');
    expect(seq).toBeGreaterThan(0);
    const progressAt = Date.now();
    expect(await api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'searched everything',
    });
    await expect.poll(searches).toHaveLength(earlier + 1);
    const search = searches().at(-1);
    expect(search).toMatchObject({ outcome: 'finished' });
    expect(search!.scanned).toBeGreaterThanOrEqual(SLOW_FOLDER_ENTRIES);
    expect(search!.at - progressAt).toBeGreaterThan(250);
  });

  test("leaves another run's call on the same server alone", async () => {
    const first = await api.start('search');
    const second = await api.start('search');
    await Promise.all(
      [first, second].map(({ id }) =>
        api.waitFor(id, (event) => event.type === 'tool_call.progress'),
      ),
    );
    await api.post(`/v1/runs/${first.id}/cancel`);
    expect(await api.settled(first.id)).toMatchObject({ status: 'cancelled' });
    expect(await api.settled(second.id)).toMatchObject({ status: 'completed' });
  });

  test('is idempotent, and a settled run stays as it is', async () => {
    const { id } = await api.start('list');
    await api.settled(id);
    expect(await api.post(`/v1/runs/${id}/cancel`)).toMatchObject({ status: 'completed' });
  });
});
