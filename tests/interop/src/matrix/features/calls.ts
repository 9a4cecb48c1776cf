import { expect, vi } from 'vitest';
import { type ClientFace, stateOf } from '../client-face.ts';
import { MEDIA } from '../world.ts';
import type { Feature } from './feature.ts';
import { notifyUntil } from './notify-until.ts';

const MEBIBYTE = 1_048_576;

/** Tool calls, and concurrent events. */
export const calls = {
  'calls a tool': async ({ face }) => {
    const result = await face.callTool('echo', { text: 'hear, hear' });
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'hear, hear' }] });
    expect(result.isError ?? false).toBe(false);
  },
  'returns structured content': async ({ face }) => {
    const result = await face.callTool('add', { a: 2, b: 3.5 });
    expect(result).toMatchObject({
      structuredContent: { sum: 5.5 },
      content: [{ type: 'text', text: '{"sum":5.5}' }],
    });
  },
  'returns every kind of content': async ({ face }) => {
    const { content } = await face.callTool('media');
    expect(content).toEqual(MEDIA);
  },
  'reports a failed tool': async ({ face }) => {
    expect(await face.callTool('fail')).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: 'no luck' }],
    });
  },
  'refuses an unknown tool': async ({ face, server }) => {
    const outcome: unknown = await face.callTool('absent').catch((error: unknown) => error);
    expect(outcome).toMatchObject(server === 'v1' ? { isError: true } : { code: -32602 });
  },
  'reports bad arguments': async ({ face }) => {
    expect(await face.callTool('add', { a: 'two' })).toMatchObject({ isError: true });
  },
  'carries every script': async ({ face }) => {
    const said = 'Grüße, 世界 🌍 \u2028 \u0000 "\\" שלום';
    expect(await face.callTool('echo', { text: said })).toMatchObject({
      content: [{ text: said }],
    });
  },
  'carries a mebibyte both ways': async ({ face }) => {
    const said = 'x'.repeat(MEBIBYTE);
    const { content } = await face.callTool('echo', { text: said });
    expect((content as readonly { readonly text: string }[])[0]?.text === said).toBe(true);
  },
  'serves many concurrent calls': async ({ face }) => {
    const said = Array.from({ length: 20 }, (_, index) => `call ${String(index)}`);
    const results = await Promise.all(said.map((text) => face.callTool('echo', { text })));
    expect(
      results.map(({ content }) => (content as readonly { readonly text: string }[])[0]?.text),
    ).toEqual(said);
  },
  'reports progress in order before the result': async ({ face }) => {
    const heard: number[] = [];
    const lastHeard = Promise.withResolvers<void>();
    const call = face.callTool(
      'count',
      { to: 12 },
      {
        onProgress: (progress) => {
          heard.push(progress);
          if (progress === 12) lastHeard.resolve();
        },
      },
    );
    await Promise.race([lastHeard.promise, call]);
    await face.callTool('release');
    expect(await call).toMatchObject({ content: [{ text: 'counted' }] });
    expect(heard).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  },
  'loses no progress that arrives with the result': async ({ face }) => {
    const heard: number[] = [];
    await face.callTool('burst', { to: 50 }, { onProgress: (progress) => heard.push(progress) });
    expect(heard).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  },
  'cancels a call': async ({ face }) => {
    const before = await stateOf(face);
    const giveUp = new AbortController();
    const call = face.callTool('hold', {}, { signal: giveUp.signal });
    const outcome = call.catch((error: unknown) => error);
    await vi.waitFor(async () => expect((await stateOf(face)).started).toBe(before.started + 1), {
      timeout: 10_000,
    });
    giveUp.abort();
    expect(await outcome).toBeInstanceOf(Error);
    await vi.waitFor(async () => expect((await stateOf(face)).aborted).toBe(before.aborted + 1), {
      timeout: 10_000,
    });
  },
  'logs from the configured level': async ({ face }) => {
    const isFromWorld = ({ logger }: { readonly logger?: unknown }): boolean => logger === 'world';
    await face.setLogLevel('warning');
    await shoutUntil(face, () => face.logs.some(isFromWorld));
    expect(face.logs.filter(isFromWorld)).toContainEqual(
      expect.objectContaining({ level: 'warning', data: { loud: true } }),
    );
    expect(face.logs.filter(({ level }) => level === 'debug')).toEqual([]);
    await face.setLogLevel('debug');
    await shoutUntil(face, () =>
      face.logs.some(({ level, data }) => level === 'debug' && data === 'quiet'),
    );
  },
} as const satisfies { readonly [name: string]: Feature };

function shoutUntil(face: ClientFace, isHeard: () => boolean): Promise<void> {
  return notifyUntil(isHeard, () => face.callTool('shout'));
}
