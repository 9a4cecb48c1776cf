import type { CallToolResult } from '@signalbox/mcp-core';
import { expect, test } from 'vitest';
import { createServiceEdge } from '../../http/testing/service-edge.ts';
import { artifactIdOf, MAX_ARTIFACT_BYTES, MAX_INLINE_BYTES } from './artifacts.ts';
import { callsThenAnswer } from '../testing/fake-llm.ts';
import { READ_ONLY } from '../testing/fake-registry.ts';
import { openService, type Service } from '../testing/service.ts';

const bytes = (length: number): Buffer => Buffer.alloc(length, 'signalbox');
const base64 = (length: number): string => bytes(length).toString('base64');
const LONG = 200_000;

async function called(content: CallToolResult['content']): Promise<{
  readonly service: Service;
  readonly runId: string;
  readonly result: CallToolResult;
  readonly told: string;
}> {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'r__big' }]]),
    tools: {
      r__big: {
        annotations: READ_ONLY,
        call: () => Promise.resolve({ type: 'result', result: { content } }),
      },
    },
  });
  const { id: runId } = await service.engine.createRun({ prompt: 'go' });
  expect(await service.settled(runId)).toMatchObject({ status: 'completed' });
  const { result } = await service.call(runId);
  return {
    service,
    runId,
    result: result!,
    told: JSON.stringify(service.llm.requests[1]!.messages[2]),
  };
}

test('a long image is stored once, as an artifact of its media type, and the model sees it whole', async () => {
  const data = base64(LONG);
  const { service, runId, result, told } = await called([
    { type: 'text', text: 'a chart' },
    { type: 'image', data, mimeType: 'image/png' },
  ]);
  const id = artifactIdOf(result)!;
  expect(await service.read.artifact(id)).toMatchObject({
    runId,
    mediaType: 'image/png',
    data: bytes(LONG),
    bytes: LONG,
    text: '',
  });
  expect(result.content[1]).toMatchObject({ type: 'image', data: '', mimeType: 'image/png' });
  expect(JSON.stringify(await service.read.messages(runId)).length).toBeLessThan(5000);
  expect(told).toContain(data);
  const edge = await createServiceEdge(service);
  const response = await edge.request('GET', `/v1/artifacts/${id}`, {
    headers: { range: 'bytes=0-8' },
  });
  expect([
    response.statusCode,
    response.body,
    response.headers['content-type'],
    response.headers['x-content-type-options'],
    response.headers['content-disposition'],
  ]).toEqual([206, 'signalbox', 'image/png', 'nosniff', 'attachment']);
});

test('an image at the limit stays in the result', async () => {
  const data = 'A'.repeat(MAX_INLINE_BYTES);
  const { result } = await called([{ type: 'image', data, mimeType: 'image/png' }]);
  expect(result.content).toEqual([{ type: 'image', data, mimeType: 'image/png' }]);
});

test.each([
  [
    { type: 'audio', data: base64(LONG), mimeType: 'audio/wav' } as const,
    'a sound, audio/wav, 200000 bytes: kept as the artifact',
  ],
  [
    {
      type: 'resource',
      resource: { uri: 'file:///x.html', mimeType: 'text/html', blob: base64(LONG) },
    } as const,
    'the resource file:///x.html, text/html, 200000 bytes: kept as the artifact',
  ],
  [
    { type: 'image', data: base64(4_000_000), mimeType: 'image/png' } as const,
    'an image, image/png, 4000000 bytes: kept as the artifact',
  ],
])('other long parts are replaced by a note for the model: %#', async (block, note) => {
  const { service, result, told } = await called([block]);
  expect(told).toContain(note);
  expect(told.length).toBeLessThan(2000);
  const edge = await createServiceEdge(service);
  const response = await edge.request('GET', `/v1/artifacts/${artifactIdOf(result)!}`);
  expect(response.headers['content-type']).toBe(
    block.type === 'resource' ? 'application/octet-stream' : block.mimeType,
  );
  expect(response.rawPayload.length).toBeGreaterThanOrEqual(LONG);
});

test('a part of more than 4 MiB is not kept, and the result says so', async () => {
  const { service, result, told } = await called([
    { type: 'image', data: base64(MAX_ARTIFACT_BYTES + 1), mimeType: 'image/png' },
  ]);
  expect(artifactIdOf(result)).toBeUndefined();
  expect(told).toContain(
    `an image, image/png, ${MAX_ARTIFACT_BYTES + 1} bytes: not kept, because it is longer than ${MAX_ARTIFACT_BYTES} bytes`,
  );
  expect(
    JSON.stringify(await service.call((await service.read.runs({ limit: 1 })).data[0]!.id)).length,
  ).toBeLessThan(5000);
});

test('a model gets at most 16 MiB of images from artifacts, the newest first', async () => {
  const image = { type: 'image', data: base64(3_000_000), mimeType: 'image/png' } as const;
  const { told } = await called(Array.from({ length: 6 }, () => image));
  expect(told.split(image.data)).toHaveLength(6);
  expect(told).toContain('an image: kept as the artifact');
});

test('a long error of a server is truncated once, for the call, its event and the model', async () => {
  const service = await openService({
    script: callsThenAnswer([[{ name: 'r__x' }]]),
    tools: {
      r__x: {
        annotations: READ_ONLY,
        call: () => Promise.resolve({ type: 'error', message: 'e'.repeat(1_000_000) }),
      },
    },
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const call = await service.call(id);
  expect(call.error).toMatch(/^e{4096} \[… 995904 of 1000000 characters left out\]$/);
  expect(
    JSON.stringify([call, await service.events(id), service.llm.requests[1]!.messages]).length,
  ).toBeLessThan(30_000);
});

test('a fork keeps its artifacts when its source run is erased, and artifacts are deleted with their last run', async () => {
  const { service, runId, result } = await called([
    { type: 'text', text: 'line\n'.repeat(20_000) },
  ]);
  const id = artifactIdOf(result)!;
  const fork = await service.engine.forkRun(runId, { atTurn: 1 });
  await service.settled(fork.id);
  await service.engine.deleteRun(runId);
  expect(await service.read.artifact(id)).toMatchObject({ bytes: 100_000 });
  expect(await service.read.ownsArtifact(fork, id)).toBe(true);
  await service.engine.deleteRun(fork.id);
  expect(await service.read.artifact(id)).toBeUndefined();
});
