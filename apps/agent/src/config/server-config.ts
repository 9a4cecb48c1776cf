import { resolve } from 'node:path';
import type { ServerConfig } from './config.ts';
import { jsonPath } from './config-problems.ts';
import type { ServerEntry } from './config-schema.ts';
import { expandVariables } from './expand-variables.ts';

export interface ServerSurroundings {
  readonly env: { readonly [name: string]: string | undefined };
  /** What relative `cwd` and `roots` are relative to. */
  readonly folder: string;
  readonly homeDir: string;
}

/** The launch definition of one entry of `mcpServers`, its variables expanded; `problems` begin with the JSON path. */
export function toServerConfig(name: string, entry: ServerEntry, surroundings: ServerSurroundings): { readonly server: ServerConfig; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const secrets = new Set<string>();
  const expand = (text: string, ...place: readonly PropertyKey[]): string => {
    const expansion = expandVariables(text, surroundings.env);
    problems.push(...expansion.problems.map((problem) => `${jsonPath(['mcpServers', name, ...place])}: ${problem}`));
    for (const secret of expansion.secrets) secrets.add(secret);
    return expansion.text;
  };
  const folder = (path: string): string => resolve(surroundings.folder, path.replace(/^~(?=$|[/\\])/, surroundings.homeDir));
  const policy = entry.signalbox ?? {};
  const server = {
    name,
    command: expand(entry.command, 'command'),
    args: (entry.args ?? []).map((argument, index) => expand(argument, 'args', index)),
    env: Object.fromEntries(Object.entries(entry.env ?? {}).map(([variable, value]) => [variable, expand(value, 'env', variable)])),
    cwd: entry.cwd === undefined ? undefined : folder(expand(entry.cwd, 'cwd')),
    trust: policy.trust ?? false,
    allow: policy.allow ?? [],
    deny: policy.deny ?? [],
    roots: (policy.roots ?? []).map((root, index) => folder(expand(root, 'signalbox', 'roots', index))),
    era: policy.era ?? 'auto',
    approval: policy.approval ?? 'default',
    approvals: policy.approvals ?? [],
    sampling: policy.sampling ?? 'ask',
    samplingReview: policy.samplingReview ?? false,
  } satisfies ServerConfig;
  if (server.command.trim() === '' && problems.length === 0) problems.push(`${jsonPath(['mcpServers', name, 'command'])}: is empty`);
  return { server: { ...server, secrets: [...secrets] }, problems };
}
