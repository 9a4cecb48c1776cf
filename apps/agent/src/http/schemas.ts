import * as z from 'zod';
import { PROBLEM_CODES } from './problem.ts';

export const time = z.iso.datetime().describe('UTC, ISO 8601');

export const json = z.record(z.string(), z.unknown());

export const positive = (description: string) =>
  z.int().min(1).max(2_147_483_647).describe(description);

export const MAX_METADATA_ENTRIES = 16;

/** Metadata that a client attached to a run, thread or agent. */
export const Metadata = z
  .record(z.string().min(1).max(64), z.string().max(512))
  .refine(
    (metadata) => Object.keys(metadata).length <= MAX_METADATA_ENTRIES,
    `must have at most ${MAX_METADATA_ENTRIES} entries`,
  )
  .describe(
    "The client's own words about it: at most 16, names of at most 64 characters, values of at most 512",
  );

export const METADATA_FILTER =
  'Entries that the metadata must have, as `metadata.NAME=VALUE` or `metadata[NAME]=VALUE`';

/** Changes of metadata entries. */
export const MetadataPatch = z
  .record(z.string().min(1).max(64), z.string().max(512).nullable())
  .describe('Entries to set; null removes an entry; all others stay');

export const Limits = z
  .strictObject({
    turns: positive('Model calls; default 50').optional(),
    tool_calls: positive('Tool calls; default 200').optional(),
    wall_clock_ms: positive('Milliseconds from the start of the run; default 3600000').optional(),
    call_inactivity_ms: positive(
      'Milliseconds without progress of one tool call, stopped while a person is asked; default 120000',
    ).optional(),
    call_max_ms: positive(
      'Milliseconds of one tool call, stopped while a person is asked; default 1800000',
    ).optional(),
    inbox_expiry_ms: positive(
      'Milliseconds an inbox item waits for its answer; default 86400000',
    ).optional(),
    tokens: positive('Tokens of all model calls, input and output; default no limit').optional(),
    output_tokens: positive(
      'Tokens of one message of the model, thinking included; default as many as the model can write',
    ).optional(),
    cost_usd: z
      .number()
      .positive()
      .max(1_000_000)
      .describe(
        'US dollars of all model calls; refused where the price of the model is not known; default no limit',
      )
      .optional(),
  })
  .meta({ id: 'Limits' });

export const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.enum(PROBLEM_CODES),
    retryable: z.boolean().describe('Whether the same request can succeed later'),
    request_id: z.string(),
    errors: z
      .array(
        z.object({
          path: z
            .string()
            .describe('JSON pointer into the request: /body/…, /query/…, /path/… or /header/…'),
          message: z.string(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'ProblemDetails' });

export const RunParameters = z.object({ id: z.string().min(1).max(100) });

/** Query of a list page. */
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().min(1).max(500).optional(),
});

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(100).optional(),
});

export const Health = z
  .object({
    status: z.literal('ok'),
    version: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    scripted: z.boolean().optional(),
    notice: z.string().optional(),
  })
  .meta({ id: 'Health' });
