import { KINDS } from './shape-kinds.ts';
import { RARE_KINDS } from './rare-shape-kinds.ts';
import type { Subject, ToolShape } from './shape-kind.ts';

export type { ToolShape } from './shape-kind.ts';

const SUBJECT: Subject = {
  text: 'path',
  properties: {
    path: { type: 'string', description: 'owner/name', minLength: 1 },
    state: { type: 'string', enum: ['open', 'closed', 'all'] },
    labels: { type: 'array', items: { type: 'string' } },
    start: { type: 'string', format: 'date-time' },
    minutes: { type: 'integer', minimum: 5, maximum: 480 },
    limit: { type: 'number', default: 100 },
    dryRun: { type: 'boolean' },
    params: { type: 'object', additionalProperties: { type: ['string', 'number', 'null'] } },
    edits: {
      type: 'array',
      items: {
        type: 'object',
        properties: { from: { type: 'string' }, to: { type: 'string' } },
        required: ['from', 'to'],
      },
    },
  },
  sample: {
    path: 'a/b',
    state: 'open',
    labels: ['bug'],
    start: '2030-01-01T09:00:00Z',
    minutes: 15,
    limit: 5,
    dryRun: true,
    params: { a: null },
    edits: [{ from: 'x', to: 'y' }],
  },
};

/** Tools, one for each kind of shape. */
export const TOOL_SHAPES: readonly ToolShape[] = [...KINDS, ...RARE_KINDS].map(
  ({ kind, schema, sample = {}, dropped }) => ({
    name: `made__${kind}`,
    schema: schema(SUBJECT),
    sample: { ...SUBJECT.sample, ...sample },
    ...(dropped === undefined ? {} : { dropped }),
  }),
);
