import * as z from 'zod';
import { Limits, time } from './schemas.ts';
import { requestedSettings, setSettings } from './setting-schemas.ts';

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
        limits: { cost_usd: 0.5 },
      },
    ],
  });

export const Agent = z
  .object({
    id: z.string(),
    name: z.string(),
    instructions: z.string().optional(),
    model: z.string().optional(),
    servers: z.array(z.string()).optional(),
    ...setSettings,
    limits: z.object(Limits.shape).describe('The limits that were set'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Agent' });

export const AgentList = z
  .object({ data: z.array(Agent), next_cursor: z.string().optional() })
  .meta({ id: 'AgentList' });
