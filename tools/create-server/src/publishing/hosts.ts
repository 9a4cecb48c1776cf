/** The command with which a host starts a server. */
export interface StartCommand {
  /** Name of the server in the host. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** A host, and the documented form of its configuration. */
export interface Host {
  readonly id: string;
  readonly title: string;
  /** Page that documents the form. */
  readonly documentation: string;
  /** Place of the configuration, as Markdown. */
  readonly place: string;
  readonly language: 'json' | 'sh';
  /** Member of the JSON file that contains the servers, for a host with a file. */
  readonly key?: 'mcpServers' | 'servers' | 'context_servers';
  /** Fields of an entry besides `command` and `args`, with their constant values. */
  readonly fields?: { readonly [field: string]: string };
}

/** The hosts for which snippets are generated. */
export const HOSTS: readonly Host[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    documentation: 'https://code.claude.com/docs/en/mcp',
    place: 'in a shell; `--scope user` before the name adds it for all projects',
    language: 'sh',
  },
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    documentation: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
    place: '`claude_desktop_config.json`: Settings, Developer, Edit Config',
    language: 'json',
    key: 'mcpServers',
  },
  {
    id: 'cursor',
    title: 'Cursor',
    documentation: 'https://cursor.com/docs/context/mcp',
    place: '`.cursor/mcp.json` in the project, or `~/.cursor/mcp.json`',
    language: 'json',
    key: 'mcpServers',
    fields: { type: 'stdio' },
  },
  {
    id: 'vs-code',
    title: 'VS Code',
    documentation: 'https://code.visualstudio.com/docs/copilot/reference/mcp-configuration',
    place: '`.vscode/mcp.json` in the workspace',
    language: 'json',
    key: 'servers',
    fields: { type: 'stdio' },
  },
  {
    id: 'zed',
    title: 'Zed',
    documentation: 'https://zed.dev/docs/ai/mcp',
    place: '`settings.json`',
    language: 'json',
    key: 'context_servers',
    fields: { source: 'custom' },
  },
];

/** Returns the configuration of a host for servers: lines of a shell, or the content of its file. */
export function hostSnippet(host: Host, servers: readonly StartCommand[]): string {
  if (host.key === undefined)
    return servers
      .map(({ name, command, args }) =>
        ['claude mcp add', name, '--', command, ...args.map((arg) => quoted(arg))].join(' '),
      )
      .join('\n');
  const entries = servers.map(({ name, command, args }) => [
    name,
    { ...host.fields, command, args },
  ]);
  return JSON.stringify({ [host.key]: Object.fromEntries(entries) as object }, null, 2).replaceAll(
    // Arguments on one line, as a person writes them.
    /\[\n\s+([^\]]*?)\n\s+\]/g,
    (_, items: string) => `[${items.replaceAll(/\n\s+/g, ' ')}]`,
  );
}

/** Returns a section of Markdown for each host. `level` is that of the headings, from 1. */
export function hostSections(servers: readonly StartCommand[], level: number): string {
  return HOSTS.map(
    (host) =>
      `${'#'.repeat(level)} ${host.title}\n\n${sentence(host)}\n\n\`\`\`${host.language}\n${hostSnippet(host, servers)}\n\`\`\`\n`,
  ).join('\n');
}

function sentence({ place, documentation }: Host): string {
  return `${place.slice(0, 1).toUpperCase()}${place.slice(1)} ([format](${documentation})):`;
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./~-]+$/.test(argument)
    ? argument
    : `'${argument.replaceAll("'", String.raw`'\''`)}'`;
}
