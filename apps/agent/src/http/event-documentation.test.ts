import { expect, test } from 'vitest';
import * as z from 'zod';
import { EVENT_DATA } from './event-schemas.ts';
import { MessageDeltaFrame, RunSnapshotFrame, StreamGapFrame } from './stream-schemas.ts';

/** Rewritten by `vitest run src/http/event-documentation.test.ts -u`. */
const FILE = '../../../../docs/events.md';

const INTRODUCTION = `# Events of a run

\`GET /v1/runs/{id}/events\` returns stored events as JSON pages, and with \`accept: text/event-stream\` as server-sent events. Each stored event is
\`{run_id, seq, type, version, at, data}\`; \`type\` is also the \`event:\` line and \`seq\` the \`id:\` line of a server-sent event. A \`?\` marks a field that may be absent.
Clients must ignore types and fields that they do not know. The schemas are in \`/openapi.json\`: \`RunEvent\`, and \`RunStreamFrame\` for streams.
`;

function fieldsOf(schema: z.ZodType): string {
  const shape =
    schema instanceof z.ZodObject
      ? schema.shape
      : schema instanceof z.ZodDiscriminatedUnion
        ? (schema.options[0] as z.ZodObject).shape
        : {};
  return Object.entries(shape)
    .map(
      ([name, field]) =>
        `\`${name}${(field as z.ZodType).safeParse(undefined).success ? '?' : ''}\``,
    )
    .join(', ');
}

function table(heading: string, rows: readonly (readonly [string, z.ZodType])[]): string {
  const lines = rows.map(
    ([type, schema]) => `| \`${type}\` | ${fieldsOf(schema)} | ${schema.description} |`,
  );
  return [`| type | ${heading} | when |`, '|---|---|---|', ...lines].join('\n');
}

test('docs/events.md lists every event and every field', async () => {
  const stored = table('`data`', Object.entries(EVENT_DATA));
  const frames = table(
    'fields',
    [RunSnapshotFrame, MessageDeltaFrame, StreamGapFrame].map(
      (schema) => [schema.shape.type.value, schema] as const,
    ),
  );
  await expect(
    `${INTRODUCTION}\n## Stored events\n\n${stored}\n\n## Frames of a stream that are not stored\n\nThe fields are beside \`type\`, without an envelope. These frames have no \`id:\` line.\n\n${frames}\n`,
  ).toMatchFileSnapshot(FILE);
});
