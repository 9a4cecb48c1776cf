import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Badge, type Tone } from '../ui/badge.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import type { AgentDraft } from './agent-draft.ts';
import { ApprovalRules } from './approval-rules.tsx';
import { PatternList } from './pattern-list.tsx';
import { effectOn, suggestedPatterns, type ToolEffect } from './tool-rules.ts';

interface ToolRuleFieldsProps {
  readonly draft: AgentDraft;
  readonly onChange: (change: Partial<AgentDraft>) => void;
  /** Returns the problem of a field by its path in the request. */
  readonly problem: (path: string) => string | undefined;
}

/** Tools that an agent may use, the approval of their calls, and the effect on the tools at present. */
export function ToolRuleFields({ draft, onChange, problem }: ToolRuleFieldsProps): ReactNode {
  const wireNames = useToolNames(draft.servers);
  const suggestions = suggestedPatterns(wireNames);
  const { allow, deny, approvals } = draft;
  return (
    <fieldset className="card">
      <legend>Tools and approvals</legend>
      <PatternList
        label="Allowed tools"
        rowLabel="Allowed pattern"
        hint="Names such as sqlite__read_query; * matches any characters. Without any, all tools of the servers."
        patterns={allow}
        suggestions={suggestions}
        onChange={(patterns) => onChange({ allow: patterns })}
        problem={(place) => problem(`/body/tools/allow/${placeInRequest(allow, place)}`)}
      />
      <PatternList
        label="Denied tools"
        rowLabel="Denied pattern"
        hint="Left out even if they are allowed above."
        patterns={deny}
        suggestions={suggestions}
        onChange={(patterns) => onChange({ deny: patterns })}
        problem={(place) => problem(`/body/tools/deny/${placeInRequest(deny, place)}`)}
      />
      <ApprovalRules
        rules={approvals}
        suggestions={suggestions}
        onChange={(rules) => onChange({ approvals: rules })}
        problem={(place) => {
          const patterns = approvals.map(({ tools }) => tools);
          return problem(`/body/approvals/${placeInRequest(patterns, place)}`);
        }}
      />
      <ToolPreview draft={draft} wireNames={wireNames} />
    </fieldset>
  );
}

/** Returns the place of a row in the request, which has no empty rows. */
function placeInRequest(patterns: readonly string[], place: number): number {
  return patterns.slice(0, place).filter((pattern) => pattern.trim() !== '').length;
}

interface ToolPreviewProps {
  readonly draft: AgentDraft;
  readonly wireNames: readonly string[];
}

/** The tools of the chosen servers at present, with the effect of the rules on each. */
function ToolPreview({ draft, wireNames }: ToolPreviewProps): ReactNode {
  if (wireNames.length === 0) return null;
  const tools = wireNames.map((name) => ({ name, effect: effectOn(draft, name) }));
  const usable = tools.filter(({ effect }) => effect.isUsable);
  return (
    <details className="changes">
      <summary>
        Runs may use {usable.length} of {tools.length} tools at present
      </summary>
      <ul className="tool-effects">
        {tools.map(({ name, effect }) => (
          <li key={name}>
            <span className="mono">
              <PlainText text={name} />
            </span>
            <EffectBadge effect={effect} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const POLICY_BADGES: { readonly [policy: string]: { readonly tone: Tone; readonly text: string } } =
  {
    ask: { tone: 'warn', text: 'asks a person' },
    deny: { tone: 'bad', text: 'calls fail' },
  };

function EffectBadge({ effect: { isUsable, policy = 'auto' } }: { readonly effect: ToolEffect }) {
  if (!isUsable) return <Badge>left out</Badge>;
  const { tone, text } = POLICY_BADGES[policy] ?? { tone: 'good', text: 'as configured' };
  return <Badge tone={tone}>{text}</Badge>;
}

/** Returns the names of the tools of some servers, of all without any. */
function useToolNames(servers: readonly string[]): readonly string[] {
  const { api } = useClient();
  const { data } = useQuery({
    queryKey: ['tools', 'all'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/tools', { params: { query: { limit: 1000 } }, signal })),
    staleTime: 30_000,
  });
  return (data?.data ?? [])
    .filter(({ server }) => servers.length === 0 || servers.includes(server))
    .map(({ name }) => name);
}
