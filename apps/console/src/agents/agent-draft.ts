import type { Agent, NewRun } from '@signalbox/client';

/** Body of a request that stores an agent. */
export type AgentDefinition = Pick<
  NewRun,
  | 'instructions'
  | 'model'
  | 'servers'
  | 'tools'
  | 'approvals'
  | 'temperature'
  | 'max_tokens'
  | 'effort'
  | 'tool_choice'
  | 'limits'
> & { readonly name: string };

/** Definition that the service returns, of an agent or of one of its versions. */
export type StoredDefinition = Omit<Agent, 'id' | 'version' | 'created_at' | 'updated_at'>;

/** Approval of the calls of some tools. */
export type ApprovalRule = NonNullable<Agent['approvals']>[number];

/** Name of a limit of runs. */
export type LimitName = keyof Agent['limits'];

/** A limit as the form shows it. */
export interface LimitField {
  readonly name: LimitName;
  readonly label: string;
  /** Value of the API that is 1 in the form. */
  readonly factor: number;
  readonly hint: string;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Limits in the order of the form. */
export const LIMIT_FIELDS: readonly LimitField[] = [
  { name: 'turns', label: 'Turns', factor: 1, hint: 'Model calls. Default: 50' },
  { name: 'tool_calls', label: 'Tool calls', factor: 1, hint: 'Default: 200' },
  {
    name: 'tokens',
    label: 'Tokens',
    factor: 1,
    hint: 'Input and output of all model calls. Default: no limit',
  },
  { name: 'cost_usd', label: 'Cost in US dollars', factor: 1, hint: 'Default: no limit' },
  {
    name: 'output_tokens',
    label: 'Output tokens of a model call',
    factor: 1,
    hint: 'Default: the maximum of the model',
  },
  {
    name: 'wall_clock_ms',
    label: 'Duration of a run in minutes',
    factor: MINUTE_MS,
    hint: 'Without the time spent waiting for a person. Default: 240',
  },
  {
    name: 'call_max_ms',
    label: 'Duration of a tool call in minutes',
    factor: MINUTE_MS,
    hint: 'Default: 30',
  },
  {
    name: 'call_inactivity_ms',
    label: 'Tool call without progress in seconds',
    factor: SECOND_MS,
    hint: 'Default: 120',
  },
  {
    name: 'model_outage_ms',
    label: 'Wait for the model in minutes',
    factor: MINUTE_MS,
    hint: 'From the first failed attempt. Default: the duration of the run',
  },
  {
    name: 'inbox_expiry_ms',
    label: 'Wait for a person in hours',
    factor: HOUR_MS,
    hint: 'Then the inbox item expires. Default: 24',
  },
];

/** Values of the form of an agent, as the person typed them. An empty text is the default. */
export interface AgentDraft {
  readonly name: string;
  readonly instructions: string;
  readonly model: string;
  /** Empty: every server. */
  readonly servers: readonly string[];
  /** Patterns of tools. Empty: every tool of the servers. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  readonly approvals: readonly ApprovalRule[];
  readonly temperature: string;
  readonly maxTokens: string;
  readonly effort: string;
  readonly toolChoice: string;
  readonly limits: { readonly [name in LimitName]?: string };
}

export const EMPTY_AGENT: AgentDraft = {
  name: '',
  instructions: '',
  model: '',
  servers: [],
  allow: [],
  deny: [],
  approvals: [],
  temperature: '',
  maxTokens: '',
  effort: '',
  toolChoice: '',
  limits: {},
};

/** Efforts and tool choices of the API. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export const TOOL_CHOICES = ['auto', 'required', 'none'] as const;

/** Returns the values of the form for a stored definition. */
export function draftOf(agent: StoredDefinition): AgentDraft {
  return {
    name: agent.name,
    instructions: agent.instructions ?? '',
    model: agent.model ?? '',
    servers: agent.servers ?? [],
    allow: agent.tools?.allow ?? [],
    deny: agent.tools?.deny ?? [],
    approvals: agent.approvals ?? [],
    temperature: textOf(agent.temperature),
    maxTokens: textOf(agent.max_tokens),
    effort: agent.effort ?? '',
    toolChoice: agent.tool_choice ?? '',
    limits: Object.fromEntries(
      LIMIT_FIELDS.flatMap(({ name, factor }) => {
        const value = agent.limits[name];
        return value === undefined ? [] : [[name, String(value / factor)]];
      }),
    ),
  };
}

/** Returns the request of a form. Empty fields are left out; the service checks the others. */
export function definitionOf(draft: AgentDraft): AgentDefinition {
  const limits: { [name in LimitName]?: number } = {};
  for (const { name, factor } of LIMIT_FIELDS) {
    const value = numberIn(draft.limits[name] ?? '');
    if (value !== undefined) limits[name] = factor === 1 ? value : Math.round(value * factor);
  }
  const [allow, deny] = [filledIn(draft.allow), filledIn(draft.deny)];
  const tools = { ...(allow.length > 0 && { allow }), ...(deny.length > 0 && { deny }) };
  const approvals = draft.approvals
    .map((rule) => ({ ...rule, tools: rule.tools.trim() }))
    .filter((rule) => rule.tools !== '');
  const temperature = numberIn(draft.temperature);
  const maxTokens = numberIn(draft.maxTokens);
  const effort = EFFORTS.find((each) => each === draft.effort);
  const toolChoice = TOOL_CHOICES.find((each) => each === draft.toolChoice);
  return {
    name: draft.name.trim(),
    ...(draft.instructions.trim() !== '' && { instructions: draft.instructions }),
    ...(draft.model.trim() !== '' && { model: draft.model.trim() }),
    ...(draft.servers.length > 0 && { servers: [...draft.servers] }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(approvals.length > 0 && { approvals }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(effort !== undefined && { effort }),
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

/** Returns a definition as lines, one for each field and for each line of the instructions, to be compared with another. */
export function definitionText(definition: AgentDefinition): string {
  const { instructions, limits = {}, servers, tools, approvals, ...rest } = definition;
  const fields = Object.entries(rest).map(([name, value]) => `${name}: ${String(value)}`);
  const limitLines = Object.entries(limits).map(
    ([name, value]) => `limits.${name}: ${String(value)}`,
  );
  return [
    ...fields,
    ...(servers === undefined ? [] : [`servers: ${servers.toSorted().join(', ')}`]),
    ...(tools?.allow ?? []).map((pattern) => `tools.allow: ${pattern}`),
    ...(tools?.deny ?? []).map((pattern) => `tools.deny: ${pattern}`),
    ...(approvals ?? []).map((rule) => `approvals: ${rule.policy} for ${rule.tools}`),
    ...limitLines.toSorted(),
    ...(instructions === undefined ? [] : ['instructions:', instructions]),
  ].join('\n');
}

function filledIn(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== '');
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

/** Returns the number of a text, or undefined for an empty text. A text that is no number counts as empty, as in the input of a browser. */
function numberIn(text: string): number | undefined {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? undefined : value;
}
