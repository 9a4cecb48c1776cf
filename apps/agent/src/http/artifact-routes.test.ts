import { expect, test } from 'vitest';
import { artifactIdOf } from '../run/results/artifacts.ts';
import { ok, READ_ONLY } from '../run/testing/fake-registry.ts';
import { openService } from '../run/testing/service.ts';
import { createServiceEdge } from './testing/service-edge.ts';

const TEXT = `<script>${'x'.repeat(99_980)}END€`;

const PROBLEM = { type: /^application\/problem\+json/, body: /"code":"range_not_satisfiable"/ };
const plain = (body: RegExp) => ({ type: /^text\/plain; charset=utf-8$/, body });
const WHOLE = plain(/^<script>x+END€$/);

test.each<
  [string | undefined, number, string | undefined, { readonly type: RegExp; readonly body: RegExp }]
>([
  [undefined, 200, undefined, WHOLE],
  ['bytes=0-7', 206, 'bytes 0-7/99994', plain(/^<script>$/)],
  ['bytes=99988-', 206, 'bytes 99988-99993/99994', plain(/^END€$/)],
  ['bytes=-6', 206, 'bytes 99988-99993/99994', plain(/^END€$/)],
  ['bytes=99988-999999', 206, 'bytes 99988-99993/99994', plain(/^END€$/)],
  ['bytes=-999999', 206, 'bytes 0-99993/99994', WHOLE],
  ['bytes=99994-', 416, 'bytes */99994', PROBLEM],
  ['bytes=-0', 416, 'bytes */99994', PROBLEM],
  ['bytes=7-0', 200, undefined, WHOLE],
  ['bytes=0-1,3-4', 200, undefined, WHOLE],
  ['lines=0-1', 200, undefined, WHOLE],
])(
  'the range %j of an artifact is answered with %d',
  async (range, status, contentRange, expected) => {
    const service = await openService({
      script: () => ({ text: '' }),
      tools: { r__big: { annotations: READ_ONLY, call: () => Promise.resolve(ok(TEXT)) } },
    });
    const edge = await createServiceEdge(service);
    const { run } = await service.engine.startCall({ wireName: 'r__big', arguments: {} });
    await service.settled(run.id);
    const call = (await edge.request('GET', `/v1/runs/${run.id}/tool-calls`)).json<{
      data: { artifact_id: string }[];
    }>().data[0]!;
    expect(call.artifact_id).toBe(artifactIdOf((await service.call(run.id)).result!));
    const response = await edge.request(
      'GET',
      `/v1/artifacts/${call.artifact_id}`,
      range === undefined ? {} : { headers: { range } },
    );
    expect([
      response.statusCode,
      response.headers['content-range'],
      response.headers['x-content-type-options'],
    ]).toEqual([status, contentRange, 'nosniff']);
    expect(response.headers['content-type']).toMatch(expected.type);
    expect(response.body).toMatch(expected.body);
  },
);

test('the artifacts of a run are listed in pages, and a fork lists those of its source', async () => {
  const service = await openService({
    script: ({ messages }) =>
      messages.length > 1
        ? { text: 'done' }
        : { calls: ['1', '2'].map((id) => ({ id, name: 'r__big' })) },
    tools: { r__big: { annotations: READ_ONLY, call: () => Promise.resolve(ok(TEXT)) } },
  });
  const edge = await createServiceEdge(service);
  const { id } = await service.engine.createRun({ prompt: 'go' });
  await service.settled(id);
  const page = async (path: string): Promise<{ data: { id: string }[]; next_cursor?: string }> =>
    (await edge.request('GET', path)).json();
  const { data, next_cursor: next } = await page(`/v1/runs/${id}/artifacts?limit=1`);
  expect(data).toEqual([
    {
      id: expect.any(String) as string,
      run_id: id,
      call_id: expect.any(String) as string,
      media_type: 'text/plain',
      bytes: 99_994,
      original_bytes: 99_994,
      created_at: expect.any(String) as string,
    },
  ]);
  const last = await page(`/v1/runs/${id}/artifacts?limit=1&cursor=${next}`);
  expect(last).toMatchObject({ data: [{ run_id: id }] });
  expect(last).not.toHaveProperty('next_cursor');
  const fork = await service.engine.forkRun(id, { prompt: 'again' });
  const whole = (await page(`/v1/runs/${id}/artifacts`)).data;
  expect((await page(`/v1/runs/${fork.id}/artifacts`)).data).toEqual(whole);
  await service.settled(fork.id);
  await service.engine.deleteRun(id);
  expect((await page(`/v1/runs/${fork.id}/artifacts`)).data).toEqual(whole);
});
