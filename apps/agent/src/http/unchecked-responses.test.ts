import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Usage } from '../ports/llm-provider.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const OPEN_API_FILE = join(import.meta.dirname, '../../openapi.json');

/** Counts as an earlier version stored them, unvalidated. */
const ODD = {
  input: '07',
  cacheRead: 0,
  cacheWrite: 0,
  output: 1.5,
  reasoning: -1,
  source: 'reported',
} as unknown as Usage;

test('a stored run with invalid token counts, and lists with the run, stay readable', async () => {
  const service = await openService({
    script: () => ({ text: 'done', usage: ODD }),
    storesOddValues: true,
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const edge = await createServiceEdge(service, { apiDocument: OPEN_API_FILE });

  const one = await edge.request('GET', `/v1/runs/${id}`);
  const list = await edge.request('GET', '/v1/runs');

  expect([one.statusCode, list.statusCode]).toEqual([200, 200]);
  expect(one.json()).toMatchObject({
    id,
    status: 'completed',
    usage: { input: '07', output: 1.5 },
  });
  expect(list.json()).toMatchObject({ data: [{ id }] });
  expect((await edge.request('GET', '/openapi.json')).json()).toMatchObject({ openapi: '3.1.0' });
});

test('a response that its schema does not describe fails the tests of the edge', async () => {
  const service = await openService({
    script: () => ({ text: 'done', usage: ODD }),
    storesOddValues: true,
  });
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const edge = await createServiceEdge(service);

  expect((await edge.request('GET', `/v1/runs/${id}`)).statusCode).toBe(500);
});
