import * as z from 'zod';
import { PRIORITIES } from '../ports/priority.ts';
import { RUN_STATUSES } from '../ports/store/run.ts';
import { json, Limits, ListQuery, Metadata, METADATA_FILTER, MetadataPatch } from './schemas.ts';
import { requestedSettings } from './setting-schemas.ts';
import { requestedToolRules } from './tool-rule-schemas.ts';
import { searchWords } from '../text/search-text.ts';

export const runStatus = z.enum(RUN_STATUSES);
export const priority = z.enum(PRIORITIES);

/** Fields that new runs and forks have in common. */
const settings = {
  servers: z
    .array(z.string().min(1).max(100))
    .min(1)
    .max(100)
    .optional()
    .describe('Names of the MCP servers whose tools may be used; default: all'),
  model: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model',
    ),
  ...requestedToolRules,
  ...requestedSettings,
  limits: Limits.optional(),
  instructions: z
    .string()
    .trim()
    .min(1)
    .max(100_000)
    .optional()
    .describe('Added to the instructions of every run'),
  priority: priority
    .optional()
    .describe(
      'Order in which waiting runs begin; a run in progress is never interrupted; default normal',
    ),
  metadata: Metadata.optional(),
  output_schema: json
    .optional()
    .describe(
      'JSON Schema of an object that the answer must conform to; after one failed repair attempt the run fails with invalid_output',
    ),
};

const ofAgent = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Id of a stored agent, whose fields apply unless the run sets them');

const ofVersion = z
  .int()
  .min(1)
  .max(2_147_483_647)
  .optional()
  .describe('Version of the agent; default: the current one when the run is stored');

const inThread = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Id of a thread; the run begins with the messages of its settled runs');

/** Fields of a run that is started later. */
export const runTemplate = {
  prompt: z.string().trim().min(1).max(200_000).describe('The task, in plain words'),
  ...settings,
  agent_id: ofAgent,
  agent_version: ofVersion,
  thread_id: inThread,
};

/** Whether a version of an agent is named only together with the agent. */
export function namesAgent({
  agent_id: id,
  agent_version: version,
}: {
  readonly agent_id?: string | undefined;
  readonly agent_version?: number | undefined;
}): boolean {
  return version === undefined || id !== undefined;
}

export const VERSION_PROBLEM = {
  path: ['agent_version'],
  message: 'is only about runs with an agent_id',
};

export const NewRun = z
  .strictObject({
    ...runTemplate,
    artifacts: z
      .array(z.string().min(1).max(100))
      .max(32)
      .optional()
      .describe('Ids of artifacts that the model can read with artifact_read'),
    on_busy: z
      .enum(['reject', 'enqueue', 'interrupt'])
      .optional()
      .describe(
        'Action while a run of the thread is not settled: reject (409), enqueue (wait until it is settled) or interrupt (cancel it first); default reject',
      ),
  })
  .refine(namesAgent, VERSION_PROBLEM)
  .refine(
    ({ thread_id: threadId, on_busy: onBusy }) => onBusy === undefined || threadId !== undefined,
    { path: ['on_busy'], message: 'is only about runs with a thread_id' },
  )
  .meta({
    id: 'NewRun',
    examples: [
      {
        prompt: 'Which customers bought most?',
        servers: ['sqlite'],
        limits: { tool_calls: 20 },
        metadata: { user: 'ada' },
      },
    ],
  });

export const NewFork = z
  .strictObject({
    at_turn: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .optional()
      .describe(
        'Last turn to keep; 0 keeps only the prompt; default: the last turn whose calls have ended',
      ),
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(200_000)
      .optional()
      .describe('Next user message; at turn 0 it replaces the prompt'),
    ...settings,
  })
  .describe('Omitted fields, and omitted limits, are taken from the run')
  .meta({ id: 'NewFork', examples: [{ at_turn: 2, prompt: 'Only those of this year.' }] });

export const CancelRun = z
  .strictObject({
    reason: z.string().max(500).optional().describe('Shown in the run; never sent to servers'),
  })
  .meta({ id: 'CancelRun' });

export const ResumeRun = z
  .strictObject({ limits: Limits.optional().describe('New limits that replace those of the run') })
  .meta({ id: 'ResumeRun' });

export const RunPatch = z
  .strictObject({ metadata: MetadataPatch })
  .meta({ id: 'RunPatch', examples: [{ metadata: { reviewed: 'yes', draft: null } }] });

/** Characters and words of a search. */
const MAX_SEARCH = 500;
const MAX_WORDS = 16;

export const RunListQuery = ListQuery.extend({
  q: z
    .string()
    .max(MAX_SEARCH)
    .refine((text) => searchWords(text).length > 0, {
      error: 'must contain a word: give a visible character',
    })
    .refine((text) => searchWords(text).length <= MAX_WORDS, {
      error: `must have at most ${MAX_WORDS} different words`,
    })
    .optional()
    .describe(
      'At most 16 words separated by spaces, each of which must occur, also as a part of a word, in the id of the run, the name that its agent had when the run was created, the first 4,000 characters of its prompt or of its answer, or its error. Case, accents and invisible characters are ignored; all other characters are text. A page reads at most 200,000 runs, so it may have fewer runs than `limit`, or none, and a `next_cursor` to continue.',
    ),
  status: z
    .union([runStatus, z.array(runStatus).min(1).max(8)])
    .optional()
    .describe('Runs with this status; may be repeated for several statuses'),
  kind: z.enum(['agent', 'call']).optional(),
  metadata: Metadata.optional().describe(METADATA_FILTER),
  thread_id: z.string().min(1).max(100).optional(),
  agent_id: z.string().min(1).max(100).optional(),
});
