import * as z from 'zod';
import { time } from './response-schemas.ts';
import { Limits } from './schemas.ts';
import { setSettings } from './setting-response-schemas.ts';
import { setToolRules } from './tool-rule-response-schemas.ts';

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
