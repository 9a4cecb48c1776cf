import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { agentRequest, collect, finishOf, textOf, userText } from './testing/collect.ts';
import { startFakeServer } from './testing/fake-wire.ts';
import { connect, type WireKind, WIRES } from './testing/provider-kinds.ts';
import { REAL_SERVERS, sampleOf } from './testing/real-tool-schemas.ts';
import { TOOL_SHAPES, type ToolShape } from './testing/tool-shapes.ts';
import { fitSchema } from './tool-schema.ts';

const ajvOptions = { strict: false, logger: false, validateFormats: false } as const;
const draft7 = new Ajv(ajvOptions);
const draft2020 = new Ajv2020(ajvOptions);

function isOffered({ dropped }: ToolShape, { api }: WireKind): boolean {
  return dropped === undefined || (dropped.api !== undefined && dropped.api !== api);
}

describe.each(WIRES)('$api', (kind) => {
  /** Offers the tools to the fake API, which refuses what the real API refuses. */
  async function offer(
    tools: readonly { readonly name: string; readonly inputSchema: ToolShape['schema'] }[],
  ) {
    await using server = await startFakeServer(kind.wire);
    server.replies.push({ turn: { text: 'ok' } });
    const before = JSON.stringify(tools);
    const request = agentRequest([userText('Hi')], {
      tools: tools.map((tool) => ({ ...tool, description: 'x' })),
    });
    const events = await collect(connect(kind, server), request);
    expect(textOf(finishOf(events).message)).toBe('ok');
    expect(JSON.stringify(tools)).toBe(before);
    const sent = JSON.stringify(server.seen.at(-1)?.body['tools']);
    return {
      names: tools.map(({ name }) => name).filter((name) => sent.includes(`"name":"${name}"`)),
      warnings: events.flatMap((event) => (event.type === 'warning' ? [event.message] : [])),
    };
  }

  test('a tool of each shape is offered, or left out with a specific reason, and the request does not fail', async () => {
    const { names, warnings } = await offer(
      TOOL_SHAPES.map(({ name, schema }) => ({ name, inputSchema: schema })),
    );
    expect(names).toEqual(
      TOOL_SHAPES.filter((shape) => isOffered(shape, kind)).map(({ name }) => name),
    );
    const dropped = TOOL_SHAPES.filter((shape) => !isOffered(shape, kind));
    const reasons = dropped.map(
      ({ name, dropped: why }) =>
        new RegExp(`^The tool ${name} .*${why?.reason.replaceAll(/[$"]/g, '\\$&') ?? ''}`),
    );
    expect(warnings).toEqual(reasons.map((reason) => expect.stringMatching(reason) as string));
  });

  test.each(REAL_SERVERS)('every real tool of $server is offered', async ({ server, tools }) => {
    const listed = tools.map(({ name, inputSchema }) => ({
      name: `${server}__${name}`.slice(0, 64),
      inputSchema,
    }));
    expect(await offer(listed)).toEqual({ names: listed.map(({ name }) => name), warnings: [] });
  });
});

/** Returns the reason why the converted schema rejects the arguments, or undefined. */
function refusal(schema: ToolShape['schema'], sample: object): string | undefined {
  const fit = fitSchema(schema);
  if ('problem' in fit) return fit.problem;
  return draft2020.validate(fit.fitted, sample) ? undefined : draft2020.errorsText();
}

const offered = TOOL_SHAPES.filter(
  ({ dropped }) => dropped === undefined || dropped.api !== undefined,
);

test.each(offered)(
  'the converted schema accepts arguments that the server accepts: $name',
  ({ schema, sample }) => {
    expect(refusal(schema, sample)).toBeUndefined();
  },
);

test.each(REAL_SERVERS)(
  'the converted schemas accept arguments that the real tools of $server accept',
  ({ tools }) => {
    for (const { inputSchema } of tools) {
      const sample = sampleOf(inputSchema);
      const { $schema, ...schema } = inputSchema;
      const ajv = String($schema).includes('2020-12') ? draft2020 : draft7;
      expect(ajv.validate(schema, sample), ajv.errorsText()).toBe(true);
      expect(refusal(inputSchema, sample)).toBeUndefined();
    }
  },
);
