import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LLMock } from '../../peers/src/mock-models.ts';
import { ApiClient } from './support/client.ts';
import { serverBin, startService, temporaryFolder, type Service } from './support/service.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await service.stop();
  await folder.remove();
});

test.each([
  ['responses', 'openai', '/v1', 'OPENAI'],
  ['chat', 'openai', '/v1', 'OPENAI'],
  ['messages', 'anthropic', '', 'ANTHROPIC'],
])(
  'a run over the %s API is recorded, and comes back without the API and without a key',
  async (wire, provider, path, vendor) => {
    const mock = new LLMock({ port: 0, strict: true, chunkSize: 7 });
    mock.addFixturesFromJSON([
      {
        match: { userMessage: 'gate', hasToolResult: false },
        response: {
          blocks: [
            {
              type: 'toolCall',
              id: 'call_a',
              name: 'filesystem__read_text_file',
              arguments: '{"path":"note.txt"}',
            },
          ],
        },
      },
      {
        match: { userMessage: 'gate', hasToolResult: true },
        response: { content: 'The gate is grün.' },
      },
    ]);
    const url = await mock.start();
    const files = join(folder.path, 'files');
    await mkdir(files);
    await writeFile(join(files, 'note.txt'), 'the garden gate is green');
    const start = async (env: { readonly [name: string]: string }): Promise<ApiClient> => {
      const mcpServers = {
        filesystem: {
          command: 'node',
          args: [serverBin.filesystem, files],
          signalbox: { trust: true },
        },
      };
      service = await startService({
        folder: folder.path,
        env,
        config: { llm: { provider, wire, base_url: `${url}${path}` }, mcpServers },
      });
      return new ApiClient(service.url);
    };
    const answer = { status: 'completed', answer: 'The gate is grün.', turns: 2 };

    const recording = await start({
      [`${vendor}_API_KEY`]: 'a-key-to-be-kept-secret',
      SIGNALBOX_CASSETTE: 'record:tape.jsonl',
    });
    expect(
      await recording.settled((await recording.start('What colour is the gate?')).id),
    ).toMatchObject(answer);
    await service.stop();
    await mock.stop();
    const tape = await readFile(join(folder.path, 'tape.jsonl'), 'utf8');
    expect(tape).not.toContain('a-key-to-be-kept-secret');
    expect(tape.trim().split('\n')).toHaveLength(3);

    const replaying = await start({ SIGNALBOX_CASSETTE: 'replay:tape.jsonl' });
    expect(
      await replaying.settled((await replaying.start('What colour is the gate?')).id),
    ).toMatchObject(answer);
    const other = await replaying.settled((await replaying.start('What colour is the door?')).id);
    expect(other).toMatchObject({
      status: 'failed',
      error: {
        code: 'llm_invalid',
        message: expect.stringContaining('all 2 recorded responses were used before') as string,
      },
    });
    await service.stop();

    const again = await start({ SIGNALBOX_CASSETTE: 'replay:tape.jsonl' });
    const door = await again.settled((await again.start('What colour is the door?')).id);
    expect(door.error?.message).toMatch(
      /request 1 of 2, and .*"What colour is the gate\?" and is "What colour is the door\?"/,
    );
    await service.stop();
    expect(service.log()).toMatch(/recorded responses of the cassette were not used.*2/);
  },
);
