import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiClient, framesOf, type Json } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { startService, temporaryFolder, type Service } from './support/service.ts';

const filesystemServer = fileURLToPath(
  new URL('../../../servers/filesystem/bin.js', import.meta.url),
);

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: Service;
let api: ApiClient;
let root: string;

async function prepare(): Promise<void> {
  folder = await temporaryFolder();
  root = join(folder.path, 'project');
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'notes.txt'), 'What is six times seven?\n');
  writeFileSync(join(root, 'src', 'index.ts'), 'export {};\n');
}

async function end(): Promise<void> {
  await service.stop();
  await folder.remove();
}

/** Starts a service with the server in one era, with three settings. */
async function start(era: 'legacy' | 'modern'): Promise<void> {
  const scenario = await writeScenario(folder.path, [
    {
      prompt: 'sum up',
      steps: [
        [{ tool: 'sampling__summarize_file', label: 'summary', input: { path: 'notes.txt' } }],
      ],
      answer: 'It said: ${result.summary.text}',
    },
    {
      prompt: 'where',
      steps: [[{ tool: 'rooted__list_allowed_directories', label: 'where' }]],
      answer: 'It said: ${result.where.text}',
    },
  ]);
  const server = (policy: Json = {}): Json => ({
    command: 'node',
    args: [filesystemServer, root],
    signalbox: { trust: true, era, ...policy },
  });
  service = await startService({
    folder: folder.path,
    config: {
      llm: { provider: 'scripted', scenario },
      mcpServers: {
        filesystem: server(),
        sampling: server({ sampling: 'auto' }),
        rooted: server({ roots: [join(root, 'src')] }),
      },
    },
  });
  api = new ApiClient(service.url);
  await vi.waitFor(async () =>
    expect(await api.get('/v1/servers/filesystem')).toMatchObject({ state: 'ready' }),
  );
}

const uriOf = (...names: readonly string[]) => pathToFileURL(join(root, ...names)).href;

/** The events of a stream, as they come. */
async function* eventsOf(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly event: string; readonly data: Json }> {
  const response = await fetch(`${service.url}${path}`, {
    headers: { accept: 'text/event-stream' },
    signal,
  });
  expect(response.status).toBe(200);
  if (response.body === null) return;
  for await (const frame of framesOf(response.body)) {
    const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
    if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) as Json };
  }
}

describe.each(['legacy', 'modern'] as const)(
  'the filesystem server in the %s era, through the service',
  (era) => {
    beforeAll(async () => {
      await prepare();
      await start(era);
    });
    afterAll(end);

    describe('started once', () => {
      test('shows its identity and its features', async () => {
        expect(await api.get('/v1/servers/filesystem')).toMatchObject({
          name: 'filesystem',
          state: 'ready',
          era,
          server_info: { name: 'signalbox-filesystem' },
          capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
          instructions: expect.stringContaining('allowed directories') as string,
        });
        const { data: tools } = (await api.get('/v1/servers/filesystem/tools')) as {
          data: { tool: string }[];
        };
        expect(tools.map(({ tool }) => tool)).toContain('read_text_file');
        const { data: resources, next_cursor: cursor } = (await api.get(
          '/v1/servers/filesystem/resources?limit=2',
        )) as { data: { uri: string }[]; next_cursor: string };
        const { data: rest } = (await api.get(
          `/v1/servers/filesystem/resources?limit=2&cursor=${cursor}`,
        )) as { data: { uri: string }[] };
        expect([...resources, ...rest].map(({ uri }) => uri)).toEqual([
          uriOf(),
          uriOf('notes.txt'),
          uriOf('src'),
        ]);
        expect(await api.get('/v1/servers/filesystem/resource-templates')).toMatchObject({
          data: [{ uriTemplate: 'file:///{+path}' }],
        });
        expect(await api.get('/v1/servers/filesystem/prompts')).toMatchObject({
          data: [{ name: 'explore_project' }],
        });
      });

      test('reads resources, gets prompts and completes paths', async () => {
        const read = (uri: string) =>
          api.get(`/v1/servers/filesystem/resources/read?uri=${encodeURIComponent(uri)}`);
        expect(await read(uriOf('src', 'index.ts'))).toMatchObject({
          data: [{ uri: uriOf('src', 'index.ts'), text: 'export {};\n' }],
        });
        await expect(read(uriOf('none'))).rejects.toThrow(/404.*resource_not_found/s);
        await expect(read('file:///etc/passwd')).rejects.toThrow(/404.*resource_not_found/s);
        const prompt = (await api.post('/v1/servers/filesystem/prompts/explore_project', {
          arguments: { path: 'src' },
        })) as { messages: { role: string }[] };
        expect(prompt.messages[0]).toMatchObject({ role: 'user' });
        expect(JSON.stringify(prompt)).toContain('index.ts');
        const complete = (of: Json, name: string, value: string) =>
          api.post('/v1/servers/filesystem/completions', { of, argument: { name, value } });
        expect(
          await complete({ uri_template: 'file:///{+path}' }, 'path', `${root.slice(1)}/n`),
        ).toMatchObject({ values: [`${root.slice(1)}/notes.txt`] });
        expect(await complete({ prompt: 'explore_project' }, 'path', 's')).toMatchObject({
          values: expect.arrayContaining([expect.stringMatching(/^src\/?$/)]) as string[],
        });
      });

      test('refuses a subscription outside the allowed folder with a problem', async () => {
        const response = await fetch(
          `${service.url}/v1/servers/filesystem/changes?uri=${encodeURIComponent('file:///etc/passwd')}`,
        );
        expect({ status: response.status, body: await response.json() }).toMatchObject({
          status: 404,
          body: { code: 'resource_not_found' },
        });
      });

      test('reports resource changes, also after it was restarted', async () => {
        const leaving = new AbortController();
        const events = eventsOf(
          `/v1/servers/filesystem/changes?uri=${encodeURIComponent(uriOf('notes.txt'))}`,
          leaving.signal,
        );
        const next = async (wanted: string) => {
          for (;;) {
            const result = await events.next();
            if (result.done === true) throw new Error('the stream ended');
            if (result.value.event === wanted) return result.value.data;
          }
        };
        await next('subscribed');
        writeFileSync(join(root, 'notes.txt'), 'changed');
        expect(await next('resource.updated')).toEqual({
          type: 'resource.updated',
          uri: uriOf('notes.txt'),
        });
        const { pid } = (await api.get('/v1/servers/filesystem')) as { pid: number };
        process.kill(pid, 'SIGKILL');
        await next('missed');
        await next('subscribed');
        writeFileSync(join(root, 'notes.txt'), 'changed again');
        expect(await next('resource.updated')).toEqual({
          type: 'resource.updated',
          uri: uriOf('notes.txt'),
        });
        leaving.abort();
      });
    });

    describe('with server settings', () => {
      test('summarizes a file with the configured model', async () => {
        writeFileSync(join(root, 'notes.txt'), 'What is six times seven?\n');
        const { id } = await api.start('sum up');
        expect(await api.settled(id)).toMatchObject({
          status: 'completed',
          answer: expect.stringMatching(/^It said: \S/) as string,
        });
        const usage = (await api.events(id)).filter((event) => event.type === 'usage.updated');
        expect(usage.map((event) => event.data['source'])).toContain('server');
      });

      test('is restricted to the configured roots in the legacy era', async () => {
        const { id } = await api.start('where');
        const { answer } = await api.settled(id);
        expect(answer).toBe(
          `It said: Allowed directories:\n${era === 'legacy' ? join(root, 'src') : root}`,
        );
      });
    });

    test('an unknown server and an unavailable server are problems', async () => {
      await expect(api.get('/v1/servers/nowhere/resources')).rejects.toThrow(
        /404.*server_not_found/s,
      );
      await expect(api.get('/v1/servers/filesystem/resources?cursor=x')).rejects.toThrow(
        /400.*invalid_cursor/s,
      );
      await expect(api.post('/v1/servers/filesystem/prompts/none', {})).rejects.toThrow(
        /502.*server_refused/s,
      );
    });
  },
);
