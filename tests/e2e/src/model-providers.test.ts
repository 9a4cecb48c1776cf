import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LLMock } from '../../peers/src/mock-models.ts';
import { ApiClient } from './support/client.ts';
import { serverBin, startService, temporaryFolder, type Service } from './support/service.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let mock: LLMock;
let api: ApiClient;
describe.each([
  ['responses', 'openai', '/v1', 'OPENAI'],
  ['chat', 'openai', '/v1', 'OPENAI'],
  ['messages', 'anthropic', '', 'ANTHROPIC'],
])('the %s adapter, against an independent mock of the API', (wire, provider, path, vendor) => {
  const [keyVariable, urlVariable] = [`${vendor}_API_KEY`, `${vendor}_BASE_URL`];

  beforeAll(async () => {
    folder = await temporaryFolder();
    mock = new LLMock({ port: 0, strict: true, chunkSize: 7 });
    const url = await mock.start();
    const files = join(folder.path, 'files');
    await mkdir(files);
    await writeFile(join(files, 'note.txt'), 'the garden gate is green');
    service = await startService({
      folder: folder.path,
      env: { [keyVariable]: 'key-for-the-mock', [urlVariable]: `${url}${path}` },
      config: {
        llm: { wire },
        mcpServers: {
          filesystem: {
            command: 'node',
            args: [serverBin.filesystem, files],
            signalbox: { trust: true },
          },
        },
      },
    });
    api = new ApiClient(service.url);
  });
  afterAll(async () => {
    await service.stop();
    await mock.stop();
    await folder.remove();
  });

  test('the model calls tools of a real server in two parallel calls, sees their results, and answers', async () => {
    mock.addFixturesFromJSON([
      {
        match: { userMessage: 'gate', hasToolResult: false },
        response: {
          blocks: [
            { type: 'text', text: 'I will look.' },
            {
              type: 'toolCall',
              id: 'call_a',
              name: 'filesystem__read_text_file',
              arguments: '{"path":"note.txt"}',
            },
            {
              type: 'toolCall',
              id: 'call_b',
              name: 'filesystem__list_directory',
              arguments: '{"path":"."}',
            },
          ],
        },
      },
      {
        match: { userMessage: 'gate', hasToolResult: true },
        response: { content: 'The gate is green.' },
      },
    ]);
    const run = await api.settled((await api.start('What colour is the gate?')).id);
    expect(run).toMatchObject({
      status: 'completed',
      answer: 'The gate is green.',
      provider,
      scripted: false,
      turns: 2,
    });
    expect(await api.toolCalls(run.id)).toMatchObject([
      {
        name: 'filesystem__read_text_file',
        state: 'succeeded',
        result: { content: [{ text: 'the garden gate is green' }] },
      },
      { name: 'filesystem__list_directory', state: 'succeeded' },
    ]);
    const sent = JSON.stringify(mock.getRequests().at(-1)?.body);
    expect(sent).toContain('the garden gate is green');
    expect(sent).toContain('note.txt');
    // What was stored is the same on every wire, but for what belongs to the wire.
    const messages = (await api.events(run.id)).filter(
      ({ type, data }) => type === 'message.completed' && data['role'] === 'assistant',
    );
    expect(messages.map(({ data: { text, tool_uses: calls } }) => ({ text, calls }))).toMatchObject(
      [
        {
          text: 'I will look.',
          calls: [
            { name: 'filesystem__read_text_file', input: { path: 'note.txt' } },
            { name: 'filesystem__list_directory', input: { path: '.' } },
          ],
        },
        { text: 'The gate is green.', calls: [] },
      ],
    );
  });

  test('a call to a temporarily overloaded model is retried', async () => {
    mock.addFixturesFromJSON([
      { match: { userMessage: 'hello' }, response: { content: 'Good day.' } },
    ]);
    mock.nextRequestError(529, { message: 'Overloaded', type: 'overloaded_error' });
    const run = await api.settled((await api.start('hello')).id);
    expect(run).toMatchObject({ status: 'completed', answer: 'Good day.' });
  });

  test('a model that refuses the key fails the run with the name of the variable to set', async () => {
    mock.addFixturesFromJSON([
      { match: { userMessage: 'hello' }, response: { content: 'Good day.' } },
    ]);
    mock.nextRequestError(401, { message: 'invalid api key', type: 'authentication_error' });
    const run = await api.settled((await api.start('hello')).id);
    expect(run).toMatchObject({ status: 'failed' });
    expect(run.error?.message).toContain(keyVariable);
    expect(JSON.stringify(run)).not.toContain('key-for-the-mock');
  });
});
