import { describe, expect, test } from 'vitest';
import { HOSTS, hostSnippet, type Host } from './hosts.ts';

/** Fields of an entry for a program, as the page of each host documents them. `required` includes constants. */
const DOCUMENTED: {
  readonly [host: string]: {
    readonly key: string;
    readonly required: readonly string[];
    readonly optional: readonly string[];
  };
} = {
  'claude-desktop': { key: 'mcpServers', required: ['command'], optional: ['args', 'env'] },
  cursor: {
    key: 'mcpServers',
    required: ['type', 'command'],
    optional: ['args', 'env', 'envFile'],
  },
  'vs-code': {
    key: 'servers',
    required: ['type', 'command'],
    optional: ['args', 'cwd', 'env', 'envFile', 'dev', 'sandboxEnabled', 'sandbox'],
  },
  zed: { key: 'context_servers', required: ['source', 'command'], optional: ['args', 'env'] },
};

/** Returns what differs from the documented form of a host's file. */
function differences({ id }: Host, text: string): readonly string[] {
  const { key, required, optional } = DOCUMENTED[id]!;
  const content = JSON.parse(text) as { readonly [member: string]: object };
  const entries = Object.values(content[key] ?? {}) as readonly { readonly args?: unknown }[];
  return [
    ...Object.keys(content).filter((member) => member !== key),
    ...(entries.length === 0 ? [`no ${key}`] : []),
    ...entries.flatMap((entry) => [
      ...required.filter((field) => !(field in entry)).map((field) => `no ${field}`),
      ...Object.keys(entry).filter((field) => ![...required, ...optional].includes(field)),
      ...(Array.isArray(entry.args) ? [] : ['args is not a list']),
    ]),
  ];
}

describe('the snippet for', () => {
  const command = { name: 'notes', command: 'npx', args: ['-y', '@acme/notes', '/home/a b'] };

  test.each(HOSTS.filter(({ language }) => language === 'json'))(
    '$title has the documented form of its file',
    (host) => {
      const text = hostSnippet(host, [command]);
      expect(differences(host, text)).toEqual([]);
      expect(differences(host, text.replace(host.key!, 'mcp'))).not.toEqual([]);
      expect(differences(host, text.replace('"command"', '"cmd"'))).not.toEqual([]);
      expect(text).toContain('"args": ["-y", "@acme/notes", "/home/a b"]');
    },
  );

  test('Claude Code is a command whose arguments a shell keeps apart', () => {
    const [host] = HOSTS.filter(({ language }) => language === 'sh');
    expect(hostSnippet(host!, [command])).toBe(
      "claude mcp add notes -- npx -y @acme/notes '/home/a b'",
    );
  });
});
