import type { ServerDetail } from '@signalbox/client';
import type { JsonObject } from '@signalbox/mcp-core';
import { isPlainObject } from '../json/plain-object.ts';
import { terminalJson, terminalLine } from '../text/terminal-text.ts';
import type { Command } from './command-definition.ts';
import { EXIT, EXIT_CODES_HELP } from './exit-code.ts';
import { UsageError, type Io } from './io.ts';
import { optionsHelp, parseOptions, SERVICE_OPTIONS, type OptionName } from './options.ts';
import { table } from './print-table.ts';
import { ServiceClient, servicePlace } from './service-client.ts';

const TAKEN = ['all', 'json', ...SERVICE_OPTIONS] as const satisfies readonly OptionName[];

const HELP = `signalbox tools [SERVER]: lists the tools of a running service, or of one of its servers
signalbox tools approve SERVER [TOOL…]: approves changed tools of a server that is not trusted

A tool whose definition changed since it was first seen is quarantined: it cannot be called before a person approves the
change. Without TOOL and --all, approve prints the changes.

${optionsHelp(TAKEN, { all: '(approve) all quarantined tools of the server' })}

${EXIT_CODES_HELP}
`;

interface Quarantined {
  readonly tool: string;
  readonly digest: string;
  readonly changed: readonly string[];
  readonly definition: JsonObject;
}

export const toolsCommand: Command = {
  help: () => HELP,
  run({ io, rest, env }) {
    const { values, positionals } = parseOptions('tools', rest, TAKEN);
    const client = new ServiceClient(servicePlace(values, env));
    const [word, ...more] = positionals;
    const isJson = values.json === true;
    if (word === 'approve')
      return approve(io, client, { names: more, isAll: values.all === true, isJson });
    if (more[0] !== undefined || values.all === true)
      throw new UsageError('signalbox tools takes one server; see signalbox tools --help');
    return list(io, client, { server: word, isJson });
  },
};

async function list(
  io: Io,
  client: ServiceClient,
  { server, isJson }: { readonly server: string | undefined; readonly isJson: boolean },
): Promise<number> {
  const tools = await client.list((api, at, signal) =>
    server === undefined
      ? api.GET('/v1/tools', { params: { query: at }, signal })
      : api.GET('/v1/servers/{name}/tools', {
          params: { path: { name: server }, query: at },
          signal,
        }),
  );
  if (isJson) for (const tool of tools) io.out(`${terminalJson(tool)}\n`);
  else io.out(table(tools.map(({ name, description }) => [name, firstSentence(description)])));
  if (tools.length === 0 && !isJson) io.err('there are no tools\n');
  return EXIT.done;
}

const DESCRIPTION_CHARACTERS = 100;

function firstSentence(text: string): string {
  const line = terminalLine(text);
  const sentence = line.split(/(?<=\.)\s/)[0] ?? '';
  return sentence.length > DESCRIPTION_CHARACTERS
    ? `${sentence.slice(0, DESCRIPTION_CHARACTERS)}…`
    : sentence;
}

interface Approval {
  readonly names: readonly string[];
  readonly isAll: boolean;
  readonly isJson: boolean;
}

/** Shows or approves the quarantined tools of a server. */
async function approve(
  io: Io,
  client: ServiceClient,
  { names: [server, ...names], isAll, isJson }: Approval,
): Promise<number> {
  if (server === undefined)
    throw new UsageError(
      'approve needs the name of a server: signalbox tools approve SERVER [TOOL…|--all]',
    );
  if (isAll && names.length > 0) throw new UsageError('give the names of tools or --all, not both');
  const path = { name: server };
  const { pins } = await client.request((api, signal) =>
    api.GET('/v1/servers/{name}', { params: { path }, signal }),
  );
  const quarantined = quarantinedOf(pins);
  if (!isAll && names.length === 0) {
    show(io, server, { quarantined, isJson });
    return EXIT.done;
  }
  const chosen = isAll
    ? quarantined
    : names.map((tool) => ({
        tool,
        digest: quarantined.find((each) => each.tool === tool)?.digest,
      }));
  if (chosen.length === 0) {
    io.err('no tool of the server is quarantined\n');
    return EXIT.done;
  }
  const tools = chosen.map(({ tool, digest }) => ({
    tool,
    ...(digest === undefined ? {} : { digest }),
  }));
  const { approved } = await client.request((api, signal) =>
    api.POST('/v1/servers/{name}/tools/approve', { params: { path }, body: { tools }, signal }),
  );
  io.out(
    isJson
      ? `${terminalJson({ approved })}\n`
      : approved.map((tool) => `${terminalLine(`approved ${tool}`)}\n`).join(''),
  );
  if (approved.length === 0 && !isJson) io.err('none of these tools was quarantined\n');
  return EXIT.done;
}

function quarantinedOf(pins: ServerDetail['pins']): readonly Quarantined[] {
  return pins.flatMap(({ tool, quarantined }) =>
    quarantined === undefined
      ? []
      : [
          {
            tool,
            digest: quarantined.digest,
            changed: quarantined.changed,
            definition: isPlainObject(quarantined.definition) ? quarantined.definition : {},
          },
        ],
  );
}

function show(
  io: Io,
  server: string,
  {
    quarantined,
    isJson,
  }: { readonly quarantined: readonly Quarantined[]; readonly isJson: boolean },
): void {
  for (const { tool, changed, definition, digest } of quarantined) {
    const parts = changed.map(
      (part) => `  ${terminalLine(part)}: ${terminalJson(definition[part] ?? null)}\n`,
    );
    const text = `${terminalLine(`${tool}: changed ${changed.join(', ')}; the new definition has`)}\n${parts.join('')}`;
    io.out(isJson ? `${terminalJson({ tool, digest, changed, definition })}\n` : text);
  }
  if (isJson) return;
  io.err(
    quarantined.length === 0
      ? 'no tool of the server is quarantined\n'
      : `to approve: signalbox tools approve ${terminalLine(server)} --all, or with the names of the tools\n`,
  );
}
