import type { CallToolResult } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { READ_ONLY } from '../testing/fake-registry.ts';
import { openService } from '../testing/service.ts';
import { artifactIdOf } from './artifacts.ts';

const MIB = 1024 * 1024;

async function stored(result: CallToolResult) {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'r__big' }]]),
    tools: {
      r__big: { annotations: READ_ONLY, call: () => Promise.resolve({ type: 'result', result }) },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(id)).toMatchObject({ status: 'completed' });
  const kept = (await service.call(id)).result!;
  return {
    kept,
    artifact: await service.read.artifact(artifactIdOf(kept) ?? ''),
    sizes: {
      call: JSON.stringify(kept).length,
      events: JSON.stringify(await service.events(id)).length,
      told: JSON.stringify(service.llm.requests[1]!.messages[2]).length,
    },
  };
}

const image = { type: 'image', data: 'A'.repeat(40_000), mimeType: 'image/png' } as const;

test.each<[string, CallToolResult]>([
  [
    'a flood of empty texts',
    { content: Array.from({ length: 50_000 }, () => ({ type: 'text', text: '' })) },
  ],
  [
    'links with long descriptions',
    {
      content: Array.from({ length: 40 }, (_, index) => ({
        type: 'resource_link',
        uri: `file:///${index}`,
        name: 'n'.repeat(30_000),
      })),
    },
  ],
  [
    'a long text beside many links',
    {
      content: [
        { type: 'text', text: 'x'.repeat(100_000) },
        ...Array.from({ length: 5000 }, () => ({
          type: 'resource_link' as const,
          uri: 'file:///a',
          name: 'link',
        })),
      ],
    },
  ],
  [
    'binary data in structured content',
    { content: [], structuredContent: { data: 'A'.repeat(MIB) } },
  ],
  [
    'links of a failed call',
    {
      isError: true,
      content: Array.from({ length: 5000 }, () => ({
        type: 'resource_link',
        uri: 'file:///a',
        name: 'link',
      })),
    },
  ],
])('%s become an artifact, and the model reads how to read on', async (_, result) => {
  const { kept, artifact, sizes } = await stored(result);
  expect(artifact!.bytes).toBeGreaterThan(90_000);
  expect(sizes.call).toBeLessThan(100_000);
  expect(sizes.events).toBeLessThan(40_000);
  expect(sizes.told).toBeLessThan(100_000);
  expect(JSON.stringify(kept)).toContain('read on with artifact_read');
  expect(kept.isError).toBe(result.isError);
});

test('metadata of a megabyte is not stored, and short metadata is', async () => {
  const { kept, sizes } = await stored({
    content: [{ type: 'text', text: 'short', _meta: { 'example.com/b': 'y'.repeat(MIB) } }],
    _meta: { 'example.com/a': 'x'.repeat(MIB) },
  });
  expect(kept).toEqual({ content: [{ type: 'text', text: 'short' }] });
  expect(sizes.call).toBeLessThan(1000);
  const short = { content: [], _meta: { 'example.com/a': 'x' } };
  expect((await stored(short)).kept).toEqual(short);
});

test('short images stay in the result up to 64 KiB together; the others become artifacts, at most 100', async () => {
  const { kept, sizes } = await stored({ content: Array.from({ length: 110 }, () => image) });
  expect(kept.content[0]).toEqual(image);
  expect(kept.content.slice(1, 101)).toEqual(
    Array.from(
      { length: 100 },
      () => expect.objectContaining({ type: 'image', data: '' }) as object,
    ),
  );
  expect(kept.content.slice(101)).toEqual([
    {
      type: 'text',
      text: '[9 further files: not kept, because one result may have 100]',
    },
  ]);
  expect(sizes.call).toBeLessThan(100_000);
});

test('a media type that is none becomes that of any bytes', async () => {
  const { artifact } = await stored({
    content: [{ type: 'audio', data: 'A'.repeat(80_000), mimeType: `audio/${'x'.repeat(MIB)}` }],
  });
  expect(artifact).toMatchObject({ mediaType: 'application/octet-stream', bytes: 60_000 });
});
