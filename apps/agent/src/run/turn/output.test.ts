import { describe, expect, test } from 'vitest';
import { EngineError } from '../../ports/run-engine.ts';
import type { Run } from '../../ports/store/run.ts';
import { openService, type Service } from '../testing/service.ts';
import type { Script } from '../testing/fake-llm.ts';
import { ok, READ_ONLY } from '../testing/fake-registry.ts';

const SCHEMA = {
  type: 'object',
  properties: { total: { type: 'number' }, currency: { enum: ['EUR', 'USD'] } },
  required: ['total', 'currency'],
  additionalProperties: false,
};
const TOOLS = { a__x: { annotations: READ_ONLY, call: () => Promise.resolve(ok('x')) } };

async function answer(
  script: Script,
  more: object = {},
): Promise<{ readonly service: Service; readonly run: Run }> {
  const service = await openService({ script, tools: TOOLS });
  const { id } = await service.engine.createRun({ prompt: 'go', outputSchema: SCHEMA, ...more });
  return { service, run: await service.settled(id) };
}

const says =
  (...texts: readonly string[]): Script =>
  (_request, index) => ({ text: texts[index] ?? 'no more' });

test('an answer that conforms to the schema is the output of the run, with and without a code fence', async () => {
  for (const text of [
    '{"total": 12, "currency": "EUR"}',
    '```json\n{"total": 12, "currency": "EUR"}\n```\n',
    '```\n{"total": 12, "currency": "EUR"}\n```',
  ]) {
    const { service, run } = await answer(says(text));
    expect(run).toMatchObject({
      status: 'completed',
      answer: text,
      output: { total: 12, currency: 'EUR' },
      turns: 1,
      repairedTurn: undefined,
    });
    expect((await service.event(run.id, 'run.completed')).data).toMatchObject({
      output: { total: 12, currency: 'EUR' },
    });
  }
});

test('the schema is in the instructions for the model and in each request to the provider', async () => {
  const { service } = await answer(says('{"total":1,"currency":"EUR"}'));
  expect(service.llm.requests[0]).toMatchObject({
    outputSchema: SCHEMA,
    system: expect.stringContaining(JSON.stringify(SCHEMA)) as string,
  });
});

test('a non-conforming answer is sent back to the model with all of its problems', async () => {
  const { service, run } = await answer(
    says('{"total":"12","currency":"GBP","extra":1}', '{"total":12,"currency":"USD"}'),
  );
  expect(run).toMatchObject({
    status: 'completed',
    output: { total: 12, currency: 'USD' },
    turns: 2,
    repairedTurn: 1,
  });
  const asked = JSON.stringify(service.llm.requests[1]!.messages.at(-1));
  for (const problem of [
    'total: must be number, but is string',
    'currency: must be one of',
    'extra',
  ])
    expect(asked).toContain(problem);
  expect((await service.event(run.id, 'turn.output_rejected')).data).toMatchObject({
    turn: 1,
    problems: expect.arrayContaining(['total: must be number, but is string']) as string[],
  });
});

test.each(['It is 12 EUR.', '[1]', '12', '', '{"total":12'])(
  '%j gets one repair attempt, and the second such answer fails the run',
  async (text) => {
    const { run } = await answer(says(text, text, '{"total":12,"currency":"USD"}'));
    expect(run).toMatchObject({
      status: 'failed',
      statusReason: 'invalid_output',
      error: {
        code: 'invalid_output',
        message: expect.stringContaining('one JSON object and nothing else') as string,
      },
      output: undefined,
      turns: 2,
    });
  },
);

test('tools may be called in the repair, and the answer after it is the output', async () => {
  const { run } = await answer((_request, index) =>
    index === 1
      ? { calls: [{ name: 'a__x' }] }
      : { text: index === 0 ? 'no' : '{"total":1,"currency":"EUR"}' },
  );
  expect(run).toMatchObject({ status: 'completed', output: { total: 1 }, turns: 3, toolCalls: 1 });
});

test('without a schema the answer is not checked', async () => {
  const { service, run } = await answer(says('just words'), { outputSchema: undefined });
  expect(run).toMatchObject({ status: 'completed', answer: 'just words', output: undefined });
  expect(service.llm.requests[0]).not.toHaveProperty('outputSchema');
  expect((await service.event(run.id, 'run.completed')).data).not.toHaveProperty('output');
});

test('a repair continues after a crash that followed the first answer', async () => {
  const script = says('no', '{"total":2,"currency":"EUR"}');
  const first = await openService({ script, crashAt: 'after-finish-turn-commit' });
  const { id } = await first.engine.createRun({ prompt: 'go', outputSchema: SCHEMA });
  await first.crashed;
  await first.kill();
  const second = await openService({
    script: () => ({ text: '{"total":2,"currency":"EUR"}' }),
    dataDir: first.dataDir,
    clock: first.clock,
  });
  expect(await second.settled(id)).toMatchObject({
    status: 'completed',
    output: { total: 2 },
    repairedTurn: 1,
    turns: 2,
  });
  expect(second.llm.requests).toHaveLength(1);
});

test('a fork has the schema of its source', async () => {
  const { service, run } = await answer(
    says('{"total":1,"currency":"EUR"}', '{"total":2,"currency":"EUR"}'),
  );
  const fork = await service.engine.forkRun(run.id, { prompt: 'again' });
  expect(await service.settled(fork.id)).toMatchObject({
    output: { total: 2 },
    outputSchema: SCHEMA,
  });
});

describe('an unsupported schema is refused when the run is created', () => {
  test.each([
    [{}, 'it must have "type": "object"'],
    [{ type: 'array' }, 'it must have "type": "object"'],
    [
      { type: 'object', properties: { a: { $ref: 'https://example.org/a.json' } } },
      'it does not compile',
    ],
    [{ type: 'object', properties: { a: { type: 'nonsense' } } }, 'it does not compile'],
    [
      JSON.parse(
        `${'{"type":"object","properties":{"a":'.repeat(70)}{}${'}}'.repeat(70)}`,
      ) as object,
      'it is nested deeper than 64 levels',
    ],
  ])('%j', async (outputSchema, message) => {
    const service = await openService({ script: says() });
    const error = await service.engine
      .createRun({ prompt: 'go', outputSchema: { ...outputSchema } })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(EngineError);
    expect(error).toMatchObject({
      code: 'invalid_output_schema',
      problems: [{ path: '/output_schema', message: expect.stringContaining(message) as string }],
    });
    expect((await service.read.runs({ limit: 1 })).data).toEqual([]);
  });

  test('a pattern with catastrophic backtracking fails the run, not the service', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const { run } = await answer(says(JSON.stringify({ a: `${'a'.repeat(40)}!` }), '{"a":"aa"}'), {
      outputSchema: schema,
    });
    expect(run).toMatchObject({ status: 'completed', output: { a: 'aa' }, repairedTurn: 1 });
  });
});
