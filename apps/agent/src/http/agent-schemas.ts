import * as z from 'zod';
import { IdParameters, Limits, time } from './schemas.ts';
import { requestedSettings, setSettings } from './setting-schemas.ts';
import { requestedToolRules, setToolRules } from './tool-rule-schemas.ts';

export const NewAgent = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    instructions: z
      .string()
      .trim()
      .min(1)
      .max(100_000)
      .optional()
      .describe('Added to the instructions of every run'),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'provider/model, or the id or alias of a model that one provider offers (GET /v1/models); default: the configured model',
      ),
    servers: z
      .array(z.string().min(1).max(100))
      .min(1)
      .max(100)
      .optional()
      .describe('Names of the MCP servers whose tools may be used; default: all'),
    ...requestedToolRules,
    ...requestedSettings,
    limits: Limits.optional(),
  })
  .meta({
    id: 'NewAgent',
    examples: [
      {
        name: 'Analyst',
        instructions: 'Answer with numbers.',
        servers: ['sqlite'],
        tools: { deny: ['sqlite__import_*'] },
        approvals: [{ tools: 'sqlite__execute_*', policy: 'ask' }],
        limits: { cost_usd: 0.5 },
      },
    ],
  });

const definition = {
  name: z.string(),
  instructions: z.string().optional(),
  model: z.string().optional(),
  servers: z.array(z.string()).optional(),
  ...setToolRules,
  ...setSettings,
  limits: z.object(Limits.shape).describe('The limits that were set'),
};

const version = z.int().describe('1 for the first definition, one more for each change');

export const Agent = z
  .object({
    id: z.string(),
    version,
    ...definition,
    created_at: time,
    updated_at: time.describe('Time of the current version, UTC, ISO 8601'),
  })
  .meta({ id: 'Agent' });

export const AgentList = z
  .object({ data: z.array(Agent), next_cursor: z.string().optional() })
  .meta({ id: 'AgentList' });

const versionEntry = {
  version,
  api_key: z
    .string()
    .optional()
    .describe(
      'Name of the API key of the request that made the version; anonymous without one. Absent for a definition that is older than the records of versions',
    ),
  created_at: time,
};

export const AgentVersion = z
  .object({
    ...versionEntry,
    definition: z
      .object(definition)
      .meta({ id: 'AgentDefinition' })
      .describe(
        'PUT /v1/agents/{id} with it makes it the current definition again, as a new version',
      ),
  })
  .meta({ id: 'AgentVersion' });

export const AgentVersionList = z
  .object({
    data: z.array(
      z.object({ ...versionEntry, name: z.string() }).meta({ id: 'AgentVersionEntry' }),
    ),
    next_cursor: z.string().optional(),
  })
  .meta({ id: 'AgentVersionList' });

export const VersionParameters = IdParameters.extend({
  version: z.coerce.number().int().min(1).max(2_147_483_647),
});
