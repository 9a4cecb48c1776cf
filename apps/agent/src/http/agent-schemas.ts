import * as z from 'zod';
import { IdParameters, Limits } from './schemas.ts';
import { requestedSettings } from './setting-schemas.ts';
import { requestedToolRules } from './tool-rule-schemas.ts';

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

export const VersionParameters = IdParameters.extend({
  version: z.coerce.number().int().min(1).max(2_147_483_647),
});
