import { parseArgs } from 'node:util';
import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../plain-object.ts';
import { terminalJson, terminalLine } from '../terminal-text.ts';
import { UsageError, type Io } from './io.ts';
import { ServiceClient } from './service-client.ts';

export const TOOLS_USAGE = `signalbox tools approve SERVER [TOOL…]: approves changed tools of a server that is not trusted

A tool whose definition changed since it was first seen is quarantined: nobody can call it before a person has approved the
change. Without TOOL and --all, prints what changed.

Options
  --all                approve all of the server's quarantined tools
  --json               print JSON
  -h, --help

Service
  --url URL            default $SIGNALBOX_URL, else http://127.0.0.1:8020
  --token TOKEN        better in $SIGNALBOX_TOKEN, where other users cannot read it
`;

const OPTIONS = {
  all: { type: 'boolean' },
  json: { type: 'boolean' },
  url: { type: 'string' },
  token: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

export interface ToolsSurroundings {
  /** What follows `signalbox tools`. */
  readonly argv: readonly string[];
  readonly env: { readonly [name: string]: string | undefined };
}

interface Quarantined {
  readonly tool: string;
  readonly digest: string;
  readonly changed: readonly string[];
  readonly definition: JsonObject;
}

/** Shows and approves the quarantined tools of a server in a running service; returns the exit code. @throws UsageError, ServiceError */
export async function runTools(io: Io, { argv, env }: ToolsSurroundings): Promise<number> {
  const { values, positionals } = parse(argv);
  if (values.help === true) {
    io.out(TOOLS_USAGE);
    return 0;
  }
  const [word, server, ...names] = positionals;
  if (word !== 'approve') throw new UsageError(`unknown command "tools ${word ?? ''}"; there is signalbox tools approve SERVER [TOOL…|--all]`);
  if (server === undefined) throw new UsageError('approve needs the name of a server: signalbox tools approve SERVER [TOOL…|--all]');
  if (values.all === true && names.length > 0) throw new UsageError('name tools or use --all, not both');
  const client = new ServiceClient({ url: values.url ?? (env['SIGNALBOX_URL'] || undefined), token: values.token ?? (env['SIGNALBOX_TOKEN'] || undefined) });
  const path = `/v1/servers/${encodeURIComponent(server)}`;
  const quarantined = quarantinedOf(await client.get(path));
  const isJson = values.json === true;
  if (values.all !== true && names.length === 0) {
    show(io, server, { quarantined, isJson });
    return 0;
  }
  const chosen = values.all === true ? quarantined : names.map((tool) => ({ tool, digest: quarantined.find((each) => each.tool === tool)?.digest }));
  if (chosen.length === 0) {
    io.err('no tool of the server is quarantined\n');
    return 0;
  }
  const tools = chosen.map(({ tool, digest }) => ({ tool, ...(digest === undefined ? {} : { digest }) }));
  const answer = await client.post(`${path}/tools/approve`, { tools });
  const approved = Array.isArray(answer['approved']) ? answer['approved'].map(String) : [];
  io.out(isJson ? `${terminalJson({ approved })}\n` : approved.map((tool) => `${terminalLine(`approved ${tool}`)}\n`).join(''));
  if (approved.length === 0 && !isJson) io.err('none of these tools was quarantined\n');
  return 0;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('. ')[0] : 'unknown option';
    throw new UsageError(`${reason}; see signalbox tools --help`, { cause: error });
  }
}

function quarantinedOf({ pins }: JsonObject): readonly Quarantined[] {
  if (!Array.isArray(pins)) return [];
  return pins.flatMap((pin) => {
    const waiting = isPlainObject(pin) ? pin['quarantined'] : undefined;
    if (!isPlainObject(pin) || !isPlainObject(waiting)) return [];
    const { digest, changed, definition } = waiting;
    return [{ tool: String(pin['tool']), digest: String(digest), changed: Array.isArray(changed) ? changed.map(String) : [], definition: isPlainObject(definition) ? definition : {} }];
  });
}

function show(io: Io, server: string, { quarantined, isJson }: { readonly quarantined: readonly Quarantined[]; readonly isJson: boolean }): void {
  for (const { tool, changed, definition, digest } of quarantined) {
    const parts = changed.map((part) => `  ${part}: ${terminalJson(definition[part] ?? null)}`);
    const text = [`${tool}: changed ${changed.join(', ')}; the new definition has`, ...parts].map((line) => `${terminalLine(line)}\n`).join('');
    io.out(isJson ? `${terminalJson({ tool, digest, changed, definition })}\n` : text);
  }
  if (isJson) return;
  io.err(quarantined.length === 0 ? 'no tool of the server is quarantined\n' : `to approve: signalbox tools approve ${terminalLine(server)} --all, or with the names of the tools\n`);
}
