import { findJsonProblem } from '../json-text.ts';
import { isPlainObject } from '../plain-object.ts';
import { ConfigError } from './config.ts';
import { describeProblems, jsonPath } from './config-problems.ts';
import { configSchema, FOREIGN_SERVER_FIELDS, type FileConfig } from './config-schema.ts';
import { nearestName } from './nearest-name.ts';

/**
 * Checks the text of a configuration file. Servers that are `disabled` are left out; `notices` names fields that are not read.
 * @throws ConfigError with every problem found, one a line
 */
export function parseConfigFile(text: string, path: string): { readonly config: FileConfig; readonly notices: readonly string[] } {
  const source = text.replace(/^\uFEFF/, '');
  const syntax = findJsonProblem(source);
  if (syntax !== undefined) throw new ConfigError(`${path}:${syntax.line}:${syntax.column}: not valid JSON: ${syntax.problem}`);
  const input = withoutDisabledServers(JSON.parse(source));
  const foreign = foreignRemotes(input);
  if (foreign.length > 0) throw problemsError(path, foreign);
  const checked = configSchema.safeParse(input);
  if (!checked.success) throw problemsError(path, describeProblems(checked.error, input));
  return { config: checked.data, notices: unreadFields(checked.data, path) };
}

/** `path: problem`, or a list when there are several. */
export function problemsError(path: string, problems: readonly string[]): ConfigError {
  return new ConfigError(problems.length === 1 ? `${path}: ${problems[0] ?? ''}` : `${path}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
}

function withoutDisabledServers(input: unknown): unknown {
  if (!isPlainObject(input) || !isPlainObject(input['mcpServers'])) return input;
  const servers = Object.entries(input['mcpServers']).filter(([, entry]) => !isPlainObject(entry) || entry['disabled'] !== true);
  return { ...input, mcpServers: Object.fromEntries(servers) };
}

/** Ways other hosts write a server with an address, and what is written here. */
const OTHER_ADDRESSES: { readonly [field: string]: string } = { httpUrl: '"url" with "type": "http"', serverUrl: '"url"' };

function foreignRemotes(input: unknown): readonly string[] {
  const servers = isPlainObject(input) ? input['mcpServers'] : undefined;
  if (!isPlainObject(servers)) return [];
  return Object.entries(servers).flatMap(([name, entry]) => {
    if (!isPlainObject(entry)) return [];
    const place = (field: string): string => jsonPath(['mcpServers', name, field]);
    if (/^streamable/i.test(String(entry['type']))) return [`${place('type')}: Streamable HTTP is written "http" here`];
    if (/^(?:ws|websocket)$/i.test(String(entry['type']))) return [`${place('type')}: servers are reached by "http" and "sse", not by WebSocket; remove the entry or set "disabled": true`];
    const field = Object.keys(OTHER_ADDRESSES).find((other) => other in entry && !('command' in entry) && !('url' in entry));
    return field === undefined ? [] : [`${place(field)}: is written ${OTHER_ADDRESSES[field] ?? ''} here`];
  });
}

const POLICY_FIELDS: readonly string[] = ['trust', 'allow', 'deny', 'roots', 'era', 'approval', 'approvals', 'sampling', 'samplingReview'];
const OTHER_NAMES: { readonly [field: string]: string } = { includeTools: 'signalbox.allow', excludeTools: 'signalbox.deny', disabledTools: 'signalbox.deny', envFile: 'env' };
const SERVER_FIELDS: readonly string[] = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'signalbox'];

function unreadFields(config: FileConfig, path: string): readonly string[] {
  return Object.entries(config.mcpServers ?? {}).flatMap(([name, entry]) =>
    Object.keys(entry)
      .filter((field) => !SERVER_FIELDS.includes(field) && !FOREIGN_SERVER_FIELDS.includes(field))
      .map((field) => {
        const meant = POLICY_FIELDS.includes(field) ? `signalbox.${field}` : (OTHER_NAMES[field] ?? nearestName(field, SERVER_FIELDS));
        return `${path}: ${jsonPath(['mcpServers', name, field])} is not read${meant === undefined ? '' : `; use "${meant}"`}`;
      }),
  );
}
