import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import {
  startService,
  startServiceProcess,
  temporaryFolder,
  type Service,
  type ServiceOptions,
  type ServiceProcess,
} from './support/service.ts';
import { slowness } from './support/slowness.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: ServiceProcess | undefined;
let next: Service | undefined;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await service?.stop('SIGKILL');
  await next?.stop();
  next = undefined;
  await folder.remove();
});

async function options(): Promise<ServiceOptions> {
  const scenario = await writeScenario(folder.path, [
    { prompt: 'linger', steps: [[{ tool: 'slow__linger' }]], answer: 'lingered' },
    { prompt: 'greet', steps: [[{ tool: 'asking__greet' }]], answer: 'greeted' },
  ]);
  const server = (signalbox: object) => ({
    command: 'node',
    args: [askingServer, join(folder.path, 'ledger')],
    signalbox: { trust: true, ...signalbox },
  });
  const mcpServers = { slow: server({}), asking: server({ era: 'legacy' }) };
  return {
    folder: folder.path,
    config: { llm: { provider: 'scripted', scenario }, mcpServers },
  };
}

async function start(): Promise<ApiClient> {
  service = await startServiceProcess(await options());
  return new ApiClient(service.url);
}

/** Opens a stream and resolves, when it has begun, with what waits for its end. */
async function openStream(url: string, id: string): Promise<() => Promise<unknown>> {
  const response = await fetch(`${url}/v1/runs/${id}/events`, {
    headers: { accept: 'text/event-stream' },
  });
  const reader = response.body!.getReader();
  await reader.read();
  return async () => {
    while (!(await reader.read()).done);
  };
}

test('SIGTERM ends the service within seconds despite open streams, a running call and a call that waits for a person; the next start continues', async () => {
  const api = await start();
  const lingering = await api.start('linger');
  const asking = await api.start('greet');
  await api.waitFor(lingering.id, (event) => event.type === 'tool_call.progress');
  await api.waitFor(asking.id, (event) => event.type === 'run.input_required');
  const { url, process: child } = service!;
  const ends = await Promise.all(
    [lingering.id, lingering.id, asking.id].map((id) => openStream(url, id)),
  );
  const [before, beforeAsking] = (
    await Promise.all([api.run(lingering.id), api.run(asking.id)])
  ).map((run) => run.last_seq);

  const stoppedAt = Date.now();
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await Promise.allSettled(ends.map((end) => end()));
  expect(await exited).toEqual([0, null]);
  expect(Date.now() - stoppedAt).toBeLessThan(8000 * slowness());

  next = await startService(await options());
  const continued = new ApiClient(next.url);
  const retried = await continued.waitFor(
    lingering.id,
    (event) => event.type === 'tool_call.retrying',
  );
  expect(retried.seq).toBe(before! + 1);
  const asked = await continued.waitFor(
    asking.id,
    (event) => event.type === 'inbox.opened' && event.seq > beforeAsking!,
  );
  await continued.post(`/v1/inbox/${String(asked.data['inbox_item_id'])}/respond`, {
    action: 'accept',
    content: { name: 'Ada' },
  });
  expect(await continued.settled(asking.id)).toMatchObject({ status: 'completed' });
  await continued.post(`/v1/runs/${lingering.id}/cancel`);
  expect(await continued.settled(lingering.id)).toMatchObject({ status: 'cancelled' });
});

test('a second signal does not wait', async () => {
  const api = await start();
  const { id } = await api.start('linger');
  await api.waitFor(id, (event) => event.type === 'tool_call.progress');
  const child = service!.process;
  const exited = once(child, 'exit');
  let output = '';
  child.stdout!.on('data', (text: string) => {
    output += text;
  });
  child.kill('SIGTERM');
  await expect.poll(() => output).toContain('stopping');
  child.kill('SIGTERM');
  expect(await exited).toEqual([null, 'SIGTERM']);
});
