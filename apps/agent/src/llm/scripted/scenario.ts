import * as z from 'zod';
import { messageOf } from '../../text/error-text.ts';
import { parseTemplate } from './template.ts';

/** String with `${…}` expressions; see `template.ts`. */
const template = z.string().superRefine((text, context) => {
  const parsed = parseTemplate(text);
  if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
});

const pattern = z.string().superRefine((source, context) => {
  const problem = patternProblem(source);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

type TemplateJson =
  | string
  | number
  | boolean
  | null
  | TemplateJson[]
  | { [key: string]: TemplateJson };
const templateJson: z.ZodType<TemplateJson> = z.lazy(() =>
  z.union([
    template,
    z.number(),
    z.boolean(),
    z.null(),
    z.array(templateJson),
    z.record(z.string(), templateJson),
  ]),
);

const whenSchema = z.strictObject({
  /**
   * Case-insensitive regular expression for the last user text. Its groups are `${1}`, `${2}`, ….
   */
  lastUser: pattern.optional(),
  /** Wire names that must be offered. */
  tools: z.array(z.string()).optional(),
  hasToolResult: z.boolean().optional(),
  /** Wire name or label of a call whose result is among the newest. */
  toolResult: z.string().optional(),
  /**
   * Whether one of the newest results is an error. Without `true` the turn is never played after an
   * error.
   */
  toolError: z.boolean().default(false),
  purpose: z.enum(['agent', 'sampling']).default('agent'),
  /** Turn of the model after the user text, from 1. */
  turn: z.int().min(1).optional(),
});

const emitSchema = z.union([
  z.strictObject({ reasoning: template }),
  z.strictObject({ text: template }),
  z.strictObject({
    tool: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be a wire name such as weather__weather_compare'),
    /** Name of the result in templates. Default: the wire name. */
    label: z
      .string()
      .regex(/^[a-zA-Z0-9_-]+$/)
      .optional(),
    input: z.record(z.string(), templateJson).default({}),
    /** Malformed arguments, sent unchanged instead of `input`. */
    rawInput: z.string().optional(),
  }),
]);

const paceSchema = z.strictObject({
  ttftMs: z.number().min(0).default(0),
  tokensPerSec: z.number().min(0).default(0),
});

const failSchema = z.strictObject({
  kind: z.enum([
    'auth',
    'quota',
    'rate',
    'overloaded',
    'invalid',
    'context',
    'timeout',
    'network',
    'protocol',
  ]),
  message: z.string().default('The scenario says so.'),
  retryAfterMs: z.number().min(0).optional(),
  /** Number of failing attempts of a call. Default: all. */
  times: z.int().min(1).optional(),
});

const turnSchema = z.strictObject({
  when: whenSchema.default({ toolError: false, purpose: 'agent' }),
  emit: z.array(emitSchema).default([]),
  stop: z.enum(['end', 'tool_use', 'max_tokens', 'refusal', 'context_full']).optional(),
  usage: z
    .strictObject({
      input: z.int().min(0),
      output: z.int().min(0),
      cacheRead: z.int().min(0).default(0),
      cacheWrite: z.int().min(0).default(0),
      reasoning: z.int().min(0).default(0),
    })
    .optional(),
  pace: paceSchema.optional(),
  fail: failSchema.optional(),
});

export const scenarioFileSchema = z.strictObject({
  version: z.literal(1),
  scenarios: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9-]+$/, 'must be lower case letters, digits and dashes'),
        title: z.string().min(1, 'must not be empty'),
        /** Example of a user text that starts the scenario. */
        prompt: z.string().min(1, 'must not be empty'),
        pace: paceSchema.optional(),
        turns: z.array(turnSchema).min(1),
      }),
    )
    .min(1),
});

/** Contents of a scenario file before defaults are applied. */
export type ScenarioFile = z.input<typeof scenarioFileSchema>;
export type Scenario = z.output<typeof scenarioFileSchema>['scenarios'][number];
export type Turn = Scenario['turns'][number];
export type Emit = Turn['emit'][number];
export type ToolEmit = Extract<Emit, { tool: string }>;
export type Pace = z.output<typeof paceSchema>;

function patternProblem(source: string): string | undefined {
  try {
    RegExp(source, 'iu');
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
