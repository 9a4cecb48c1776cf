import * as z from 'zod';
import { cardSchema } from '../llm/catalogue/card-schema.ts';
import { entryProblems } from './entry-problems.ts';
import { httpUrlProblem } from './http-url.ts';
import { SERVER_NAME, SERVER_NAME_RULE } from './server-name.ts';

const text = z.string().min(1);
const texts = z.array(z.string());
const baseUrl = z.string().superRefine((value, context) => {
  const problem = httpUrlProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const approvalRule = z.strictObject({ tools: text, policy: z.enum(['auto', 'ask', 'deny']) });

const serverPolicy = z.strictObject({
  trust: z.boolean().optional(),
  allow: z.array(text).optional(),
  deny: z.array(text).optional(),
  roots: z.array(text).optional(),
  era: z.enum(['auto', 'legacy', 'modern']).optional(),
  approval: z.enum(['default', 'auto', 'ask', 'deny']).optional(),
  approvals: z.array(approvalRule).max(1000).optional(),
  sampling: z.enum(['auto', 'ask', 'deny']).optional(),
  samplingReview: z.boolean().optional(),
});

const serverEntry = z
  .looseObject({
    type: z.enum(['stdio', 'http', 'sse']).optional(),
    command: text.optional(),
    args: texts.optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: text.optional(),
    url: text.optional(),
    headers: z.record(z.string(), z.string()).optional(),
    signalbox: serverPolicy.optional(),
  })
  .superRefine((entry, context) => {
    for (const { place, problem } of entryProblems(entry)) context.addIssue({ code: 'custom', path: [...place], message: problem });
  });

/** The shape of `signalbox.json`; `mcpServers` is what other hosts write, so its entries may have fields of theirs. */
export const configSchema = z.strictObject({
  $schema: z.string().optional(),
  mcpServers: z.record(z.string().regex(SERVER_NAME, { error: SERVER_NAME_RULE }), serverEntry).optional(),
  llm: z
    .strictObject({
      provider: z.enum(['openai', 'anthropic', 'scripted']).optional(),
      model: text.optional(),
      base_url: baseUrl.optional(),
      wire: z.enum(['responses', 'chat', 'messages']).optional(),
      models: z.record(text, cardSchema).optional(),
      scenario: text.optional(),
      cassette: text.optional(),
    })
    .optional(),
  host: text.optional(),
  port: z.int().min(0).max(65_535).optional(),
  data_dir: text.optional(),
  log_level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  log_format: z.enum(['text', 'json']).optional(),
  durability: z.enum(['process', 'power']).optional(),
});

export type FileConfig = z.infer<typeof configSchema>;
export type ServerEntry = z.infer<typeof serverEntry>;

/** Fields of a server entry that other hosts use and that may be left unread without a word. */
export const FOREIGN_SERVER_FIELDS: readonly string[] = ['disabled', 'autoApprove', 'alwaysAllow', 'timeout', 'name', 'description', 'icon', 'version', 'gallery'];
