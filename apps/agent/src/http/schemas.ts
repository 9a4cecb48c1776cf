import * as z from 'zod';

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
    'Metadata that the client attaches: at most 16 entries, names of at most 64 characters, values of at most 512',
  );

export const METADATA_FILTER =
  'Metadata entries to match, as `metadata.NAME=VALUE` or `metadata[NAME]=VALUE`';

/** Changes of metadata entries. */
export const MetadataPatch = z
  .record(z.string().min(1).max(64), z.string().max(512).nullable())
  .describe('Entries to set; null removes an entry; other entries are unchanged');

export const Limits = z
  .strictObject({
    turns: positive('Model calls; default 50').optional(),
    tool_calls: positive('Tool calls; default 200').optional(),
    wall_clock_ms: positive('Milliseconds from the start of the run; default 14400000').optional(),
    model_outage_ms: positive(
      'Milliseconds from the first failed attempt of a model call until the run gives up; default the wall clock limit',
    ).optional(),
    call_inactivity_ms: positive(
      'Milliseconds without progress of one tool call, excluding the time spent waiting for user input; default 120000',
    ).optional(),
    call_max_ms: positive(
      'Milliseconds of one tool call, excluding the time spent waiting for user input; default 1800000',
    ).optional(),
    inbox_expiry_ms: positive(
      'Milliseconds until an open inbox item expires; default 86400000',
    ).optional(),
    tokens: positive('Input and output tokens of all model calls; default no limit').optional(),
    output_tokens: positive(
      'Output tokens of one model call, including thinking; default the maximum of the model',
    ).optional(),
    cost_usd: z
      .number()
      .positive()
      .max(1_000_000)
      .describe(
        'US dollars of all model calls; refused for a model without a known price; default no limit',
      )
      .optional(),
  })
  .meta({ id: 'Limits' });

export const IdParameters = z.object({ id: z.string().min(1).max(100) });

/** Cursor of a page, which a client passes on unchanged. */
export const Cursor = z
  .string()
  .min(1)
  .max(500)
  .optional()
  .describe('`next_cursor` of the previous page');

/** Query of a list page. */
export const ListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor,
});

export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: Cursor,
});
