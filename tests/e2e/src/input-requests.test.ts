import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiClient } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const askingServer = fileURLToPath(new URL('support/asking-server.ts', import.meta.url));

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let api: ApiClient;
beforeAll(start);
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

/**
 * Starts a service with a server that sends input requests, and the same server as `free`, whose
 * sampling needs no approval.
 */
async function start(): Promise<void> {
  folder = await temporaryFolder();
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'greet',
      steps: [[{ tool: 'asking__greet', label: 'greeting' }]],
      answer: 'It said: ${result.greeting.text}',
    },
    {
      prompt: 'think',
      steps: [[{ tool: 'asking__think', label: 'thought' }]],
      answer: 'It said: ${result.thought.text}',
    },
    {
      prompt: 'think freely',
      steps: [[{ tool: 'free__think', label: 'thought' }]],
      answer: 'It said: ${result.thought.text}',
    },
    {
      prompt: 'write',
      steps: [[{ tool: 'asking__append_line', input: { text: 'one' }, label: 'write' }]],
      answer: 'It said: ${result.write.text}',
    },
  ]);
  const server = (policy: object): object => ({
    command: 'node',
    args: [askingServer, join(folder.path, 'ledger')],
    signalbox: { trust: true, era: 'legacy', ...policy },
  });
  service = await startService({
    folder: folder.path,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: {
        asking: server({}),
        free: server({ sampling: 'auto' }),
      },
    },
  });
  api = new ApiClient(service.url);
}

async function openItem(id: string, kind: string) {
  await api.waitFor(id, (event) => event.type === 'inbox.opened');
  const run = await api.run(id);
  expect(run).toMatchObject({ status: 'input_required', inbox: [{ kind }] });
  return run.inbox[0]!;
}

test("a server's elicitation is answered by a person through the inbox", async () => {
  const { id } = await api.start('greet');
  const item = await openItem(id, 'elicitation_form');
  expect(item.request).toMatchObject({
    message: 'What is your name?',
    requested_schema: { properties: { name: { type: 'string' } } },
  });

  await expect(
    api.post(`/v1/inbox/${item.id}/respond`, { action: 'accept', content: { name: 7 } }),
  ).rejects.toThrow(/400.*invalid_response.*name/s);
  await api.post(`/v1/inbox/${item.id}/respond`, { action: 'accept', content: { name: 'Ada' } });
  expect(await api.settled(id)).toMatchObject({
    status: 'completed',
    answer: 'It said: hello Ada',
  });
  await expect(api.post(`/v1/inbox/${item.id}/respond`, { action: 'decline' })).rejects.toThrow(
    /409/,
  );
});

test('a declined elicitation is an answer too', async () => {
  const { id } = await api.start('greet');
  const item = await openItem(id, 'elicitation_form');
  await api.post(`/v1/inbox/${item.id}/respond`, { action: 'decline' });
  expect(await api.settled(id)).toMatchObject({ answer: 'It said: no name: decline' });
});

test("a server's sampling request is answered by the configured model when the policy allows it, and charged to the run", async () => {
  const { id } = await api.start('think freely');
  const run = await api.settled(id);
  expect(run.answer).toMatch(/^It said: the model scripted\S* says: forty-two$/);
  const usage = (await api.events(id)).filter((event) => event.type === 'usage.updated');
  expect(usage.map((event) => event.data['source'])).toEqual(['agent', 'server', 'agent']);
});

test('by default a person approves a sampling request first, and may refuse it', async () => {
  const approved = await api.start('think');
  const item = await openItem(approved.id, 'sampling_approval');
  await api.post(`/v1/inbox/${item.id}/respond`, { action: 'approve' });
  expect((await api.settled(approved.id)).answer).toContain('forty-two');

  const refused = await api.start('think');
  const second = await openItem(refused.id, 'sampling_approval');
  await api.post(`/v1/inbox/${second.id}/respond`, { action: 'deny' });
  const run = await api.settled(refused.id);
  expect(run.answer).toContain('failed');
  expect(run.answer).not.toContain('forty-two');
});

test('a tool that is not read-only waits for approval', async () => {
  const { id } = await api.start('write');
  const item = await openItem(id, 'tool_approval');
  await api.post(`/v1/inbox/${item.id}/respond`, { action: 'approve' });
  expect(await api.settled(id)).toMatchObject({ answer: 'It said: appended one' });
});

test('cancelling a run closes its open input request', async () => {
  const { id } = await api.start('greet');
  const item = await openItem(id, 'elicitation_form');
  await api.post(`/v1/runs/${id}/cancel`, { reason: 'changed my mind' });
  expect(await api.settled(id)).toMatchObject({ status: 'cancelled', inbox: [] });
  await expect(api.post(`/v1/inbox/${item.id}/respond`, { action: 'decline' })).rejects.toThrow(
    /409/,
  );
});
