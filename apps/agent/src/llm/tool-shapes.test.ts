import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';
import { TOOL_SHAPES, type ToolShape } from './testing/tool-shapes.ts';
import { fitSchema } from './tool-schema.ts';

const BATCH = 100;

function isOffered({ dropped }: ToolShape, { api }: WireKind): boolean {
  return dropped === undefined || (dropped.api !== undefined && dropped.api !== api);
}

function batches(): readonly (readonly ToolShape[])[] {
  return Array.from({ length: Math.ceil(TOOL_SHAPES.length / BATCH) }, (_, at) => TOOL_SHAPES.slice(at * BATCH, (at + 1) * BATCH));
}

test('there are more than 200 of them', () => {
  expect(TOOL_SHAPES.length).toBeGreaterThan(200);
  expect(new Set(TOOL_SHAPES.map(({ name }) => name)).size).toBe(TOOL_SHAPES.length);
});

describe.each(WIRES)('complaint, root anyOf kills every request, arrays without items or properties: $api', (kind) => {
  test('each tool is offered or left out for a reason of its own, and no request fails', async () => {
    await using server = await startFakeServer(kind.wire);
    for (const shapes of batches()) {
      server.replies.push({ turn: { text: 'ok' } });
      const before = JSON.stringify(shapes);
      const events = await collect(connect(kind, server), agentRequest([userText('Hi')], { tools: shapes.map(({ name, schema }) => ({ name, description: 'x', inputSchema: schema })) }));
      expect(textOf(finishOf(events).message)).toBe('ok');
      expect(JSON.stringify(shapes)).toBe(before);
      const offered = [...JSON.stringify(server.seen.at(-1)?.body['tools']).matchAll(/"name":"([a-z]+__[a-z0-9_]+)"/g)].map(([, name]) => name);
      expect(offered).toEqual(shapes.filter((shape) => isOffered(shape, kind)).map(({ name }) => name));
      const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []));
      expect(warnings).toEqual(shapes.filter((shape) => !isOffered(shape, kind)).map(({ name, dropped }) => expect.stringMatching(new RegExp(`^The tool ${name} .*${dropped?.reason.replaceAll(/[$"]/g, '\\$&') ?? ''}`)) as string));
    }
  });
});

test.each(TOOL_SHAPES.filter(({ dropped }) => dropped === undefined || dropped.api !== undefined))('what the server takes, the model may send: $name', ({ schema, sample }) => {
  const fit = fitSchema(schema);
  const fitted = 'fitted' in fit ? fit.fitted : {};
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  expect(ajv.validate(fitted, sample), ajv.errorsText()).toBe(true);
});
