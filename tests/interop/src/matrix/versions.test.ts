import { afterEach, describe, expect, test } from 'vitest';
import type { ClientFace } from './client-face.ts';
import { type Dial, dialOurs, dialV2 } from './dialling.ts';
import { type Hosted } from './hosting/host-http.ts';
import { hostOurs, hostV2Requests, hostV2Sessions } from './hosting/hosts.ts';
import { CLOCK_URI, MEDIA, SOUND } from './world.ts';

const LEGACY = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

async function connect(host: () => Promise<Hosted>, dial: Dial): Promise<ClientFace> {
  const hosted = await host();
  opened.push(hosted);
  const face = await dial(hosted.url);
  opened.push(face);
  return face;
}

const toolNamed = async (face: ClientFace, name: string) =>
  (await face.listTools()).find((tool) => tool.name === name);

describe('the client of SDK v2 with our server', () => {
  const dial = (version: string): Promise<ClientFace> =>
    connect(hostOurs, dialV2({ versions: [version] }));

  test.each(LEGACY)('negotiates %s', async (version) => {
    const face = await dial(version);
    expect(face.server).toMatchObject({ version, info: { name: 'ours' } });
    expect(await face.callTool('echo', { text: version })).toMatchObject({
      content: [{ type: 'text', text: version }],
    });
    expect(await face.readResource(CLOCK_URI)).toMatchObject([{ text: 'noon' }]);
    expect(await face.getPrompt('greet', { name: 'Ada' })).toMatchObject({
      messages: [{ content: { text: 'Hello Ada' } }],
    });
    expect(await face.callTool('think')).toMatchObject({
      content: [{ text: expect.stringContaining('forty-two') as string }],
    });
  });

  test.each(LEGACY)(
    'gets output schemas and tasks in %s if the revision has them',
    async (version) => {
      const face = await dial(version);
      const [add, toil] = [await toolNamed(face, 'add'), await toolNamed(face, 'toil')];
      expect(add).toHaveProperty('inputSchema');
      expect('outputSchema' in add!).toBe(version >= '2025-06-18');
      expect('execution' in toil!).toBe(version === '2025-11-25');
    },
  );

  test.each([
    ['2025-11-25', MEDIA.map(({ type }) => type)],
    ['2025-06-18', MEDIA.map(({ type }) => type)],
    ['2025-03-26', ['image', 'audio', 'text', 'resource']],
    ['2024-11-05', ['image', 'text', 'text', 'resource']],
  ])('gets in %s the kinds of content that the revision knows', async (version, types) => {
    const { content } = await (await dial(version)).callTool('media');
    const blocks = content as readonly { readonly type: string }[];
    expect(blocks.map(({ type }) => type)).toEqual(types);
    expect(JSON.stringify(blocks).includes(SOUND)).toBe(version !== '2024-11-05');
  });

  test.each(LEGACY)('gets structured content in %s, at least as text', async (version) => {
    const result = await (await dial(version)).callTool('add', { a: 1, b: 2 });
    expect(result).toMatchObject({ content: [{ type: 'text', text: '{"sum":3}' }] });
    expect('structuredContent' in result).toBe(version >= '2025-06-18');
  });

  test.each(LEGACY)(
    'gets the error for bad arguments in %s that the revision defines',
    async (version) => {
      const outcome: unknown = await (
        await dial(version)
      )
        .callTool('add', { a: 'one' })
        .catch((error: unknown) => error);
      expect(outcome).toMatchObject(
        version === '2025-11-25' ? { isError: true } : { code: -32602 },
      );
    },
  );

  test.each(LEGACY)('gets an elicitation in %s if the revision has forms', async (version) => {
    const result = await (await dial(version)).callTool('ask');
    expect(result).toMatchObject(
      version >= '2025-06-18' ? { content: [{ text: 'accept Ada' }] } : { isError: true },
    );
  });
});

describe('our client', () => {
  test.each(LEGACY)(
    'negotiates %s with a server on SDK v2 that supports no other',
    async (version) => {
      const face = await connect(() => hostV2Sessions([version]), dialOurs('auto'));
      expect(face.server).toMatchObject({ version, info: { name: 'v2' } });
      expect(await face.callTool('echo', { text: version })).toMatchObject({
        content: [{ type: 'text', text: version }],
      });
      expect((await face.listTools()).map(({ name }) => name)).toContain('add');
      expect(await face.readResource(CLOCK_URI)).toMatchObject([{ text: 'noon' }]);
      expect(await face.callTool('think')).toMatchObject({
        content: [{ text: expect.stringContaining('forty-two') as string }],
      });
    },
  );

  test('chooses 2026-07-28 with a server on SDK v2 that supports all', async () => {
    const face = await connect(hostV2Requests, dialOurs('auto'));
    expect(face.server.version).toBe('2026-07-28');
  });
});
