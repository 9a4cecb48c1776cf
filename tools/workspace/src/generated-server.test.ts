import { spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectClient, type Client } from '@signalbox/mcp-core/client';
import { httpTransport } from '@signalbox/mcp-core/http/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { packedFiles } from './testing/install-packed.ts';
import { copyWorkspace, npmCacheOf, removeCopy, runIn } from './testing/workspace-copy.ts';

const referee = join(
  import.meta.dirname,
  '../../../tests/peers/node_modules/@modelcontextprotocol/conformance/dist/index.js',
);
const eras = ['legacy', 'modern'] as const;
type Era = (typeof eras)[number];

/** Names that a reader of the guide is unlikely to use: the reader's server may already be in the workspace. */
const NAME = 'generated-for-the-test';
const SCOPE = 'scope-of-the-test';
const PACKAGE = `@${SCOPE}/server-${NAME}`;
const LIMIT_MS = 420_000;

const guide = readFileSync(join(import.meta.dirname, '../../../docs/extending.md'), 'utf8');
const blocks = (language: string): readonly string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    (match) => match[1] ?? '',
  );
const commands = blocks('sh').flatMap((block) => block.trim().split('\n'));

let copy: string;
const bin = (): string => join(copy, 'node_modules/.bin', `${SCOPE}-${NAME}`);
const renamed = (command: string): string =>
  command.replaceAll('trip-notes', NAME).replaceAll('acme', SCOPE);

/** Runs a command of docs/extending.md for the server of the test, with options that keep it local and short; returns its stdout. */
async function follow(command: string, ...options: readonly string[]): Promise<string> {
  expect(commands).toContain(command);
  const { stdout } = await runIn(copy, '.', [
    'bash',
    '-c',
    [renamed(command), ...options].join(' '),
  ]);
  return stdout;
}

beforeAll(async () => {
  copy = await copyWorkspace();
  await follow(
    'npx nx g @signalbox/workspace:server trip-notes --scope acme --description "Keeps the notes of a trip"',
  );
  await follow('npx nx test @acme/server-trip-notes', '--maxWorkers=1');
}, LIMIT_MS);

afterAll(() => removeCopy(copy));

/** A client that accepts every elicitation. */
async function connect(era: Era, open: Parameters<typeof connectClient>[0]): Promise<Client> {
  const client = await connectClient(open, {
    info: { name: 'generated', version: '1.0.0' },
    era,
    handlers: { elicit: () => Promise.resolve({ action: 'accept', content: { replace: true } }) },
  });
  onTestFinished(() => client.close());
  return client;
}

/** Checks the server's features and its handling of a new note, a replaced note and a note without text. */
async function tryOut(client: Client, title: string) {
  const results = [
    await client.callTool('write_note', { title, text: 'Rain' }),
    await client.callTool('write_note', { title, text: 'Sun' }),
    await client.callTool('write_note', { title }),
  ];
  return {
    tools: (await client.listTools()).map((tool) => tool.name),
    resources: (await client.listResources()).map((resource) => resource.uri),
    prompts: (await client.listPrompts()).map((prompt) => prompt.name),
    structured: results.map((result) => result.structuredContent),
    isError: results.map((result) => result.isError ?? false),
    notes: JSON.stringify(await client.readResource(`${NAME}://notes`)),
  };
}

const allThere = {
  tools: ['write_note'],
  resources: [`${NAME}://notes`],
  prompts: ['review_note'],
  structured: [
    expect.objectContaining({ replaced: false }),
    expect.objectContaining({ replaced: true }),
    undefined,
  ] as unknown[],
  isError: [false, false, true],
  notes: expect.stringContaining('Sun') as string,
};

/** Starts the server over HTTP; resolves with its URL. */
async function startHttp(): Promise<string> {
  const child = spawn(process.execPath, [join(copy, 'servers', NAME, 'bin.js'), '--http', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const [url] = /http:\/\/\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The server ended with ${child.exitCode} before it listened`);
}

/** A new scope must not link from the copy back into the workspace. */
test("packages of every scope in the copy are the copy's own", () => {
  const links = globSync('node_modules/@*/*', { cwd: copy }).filter(
    (link) => !link.startsWith('node_modules/@scope-of-the-test'),
  );
  const workspaces = links.filter(
    (link) =>
      realpathSync(join(copy, link)).includes('/servers/') ||
      realpathSync(join(copy, link)).includes('/libs/'),
  );
  expect(workspaces.length).toBeGreaterThan(0);
  for (const link of workspaces)
    expect(realpathSync(join(copy, link))).toContain(realpathSync(copy));
});

describe('a generated server', () => {
  test('passes its own tests', () => {
    const report = JSON.parse(
      readFileSync(join(copy, 'servers', NAME, '.results/vitest.json'), 'utf8'),
    ) as { readonly numPassedTests: number; readonly numTotalTests: number };
    expect(report.numPassedTests).toBeGreaterThan(10);
    expect(report.numPassedTests).toBe(report.numTotalTests);
  });

  test('shows its options and its host configuration', { timeout: LIMIT_MS }, async () => {
    const help = await follow('npx acme-trip-notes --help');
    for (const part of ['Keeps the notes of a trip', '--max-notes', '--http', '--print-config'])
      expect(help).toContain(part);
    expect(commands).toContain('npx acme-trip-notes --print-config');
    const { stdout } = await runIn(copy, '.', [bin(), '--print-config']);
    expect(JSON.parse(stdout)).toMatchObject({
      mcpServers: { [`${SCOPE}-${NAME}`]: { args: [expect.stringContaining(NAME) as string] } },
    });
  });

  test('leaves nothing for npm and Nx to do', { timeout: LIMIT_MS }, async () => {
    const lock = readFileSync(join(copy, 'package-lock.json'), 'utf8');
    expect(lock).toContain(`"node_modules/${PACKAGE}"`);
    await runIn(copy, '.', [
      'npm',
      'install',
      '--package-lock-only',
      '--offline',
      '--ignore-scripts',
    ]);
    expect(readFileSync(join(copy, 'package-lock.json'), 'utf8')).toBe(lock);
    await runIn(copy, '.', ['nx', 'sync:check']);
  });

  test('is formatted', async () => {
    const { stdout } = await runIn(copy, '.', ['oxfmt', '--check', `servers/${NAME}`]);
    expect(stdout).toContain('correct format');
  });

  test('leaves no trace of its templates', () => {
    const files = globSync('**/*', {
      cwd: join(copy, 'servers', NAME),
      exclude: ['{dist,bundle,.results}/**'],
    });
    expect(files.filter((file) => /template|__/.test(file))).toEqual([]);
    for (const file of files.filter((each) => /\.\w+$/.test(each)))
      expect(readFileSync(join(copy, 'servers', NAME, file), 'utf8')).not.toMatch(
        /<%|&#\d+;|&quot;/,
      );
  });

  test.each(eras)('answers over stdio in the %s era', async (era) => {
    expect(
      await tryOut(await connect(era, () => spawnStdio({ command: bin(), args: [] })), 'Monday'),
    ).toEqual(allThere);
  });

  test('answers over HTTP in both eras at one address', async () => {
    const url = await startHttp();
    for (const era of eras)
      expect(await tryOut(await connect(era, () => httpTransport({ url })), era)).toEqual(allThere);
  });

  test(
    'is packed, runs from its tarball with no workspace around it, and can be published',
    { timeout: LIMIT_MS },
    async () => {
      expect(await follow('npm pack -w @acme/server-trip-notes')).toContain(
        renamed('acme-server-trip-notes-0.1.0.tgz'),
      );
      expect(await follow('npx --yes ./acme-server-trip-notes-0.1.0.tgz --version')).toBe(
        renamed('acme-trip-notes 0.1.0\n'),
      );
      expect(
        await follow(
          'npm publish -w @acme/server-trip-notes --access public',
          '--dry-run',
          '--offline',
          '--ignore-scripts',
        ),
      ).toContain(`${PACKAGE}@0.1.0`);
      const [installed = ''] = globSync(`_npx/*/node_modules/.bin/${SCOPE}-${NAME}`, {
        cwd: npmCacheOf(copy),
      });
      const command = join(npmCacheOf(copy), installed);
      expect(realpathSync(command)).not.toContain(realpathSync(copy));
      const client = await connect('modern', () => spawnStdio({ command, cwd: npmCacheOf(copy) }));
      expect(await tryOut(client, 'Tuesday')).toEqual(allThere);
      const files = await packedFiles(join(copy, renamed('acme-server-trip-notes-0.1.0.tgz')));
      expect(files).toEqual(
        expect.arrayContaining([
          'LICENSE',
          'README.md',
          'bundle/THIRD-PARTY-NOTICES.txt',
          'bundle/index.d.ts',
        ]),
      );
      expect(files.filter((file) => /\.test\.|\.map$|^src\//.test(file))).toEqual([]);
    },
  );

  test(
    'meets the scenarios of the official referee for every server',
    { timeout: LIMIT_MS },
    async () => {
      const url = await startHttp();
      const scenarios = {
        '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list'],
        '2026-07-28': ['tools-list', 'resources-list', 'prompts-list'],
      };
      const outcomes = await Promise.all(
        Object.entries(scenarios).map(async ([revision, names]) => {
          const results = join(copy, `referee-${revision}`);
          // It runs all scenarios of the revision and fails: a small server lacks the tools that most of them call.
          const output = await runIn(copy, '.', [
            process.execPath,
            referee,
            'server',
            '--url',
            url,
            '--requirements',
            revision,
            '-o',
            results,
          ]).then(
            ({ stdout }) => stdout,
            (error: unknown) => (error as { readonly stdout?: string }).stdout ?? String(error),
          );
          expect(output).toContain('=== SUMMARY ===');
          return names.map((scenario) => {
            const checks = globSync(`server-${scenario}-*/checks.json`, { cwd: results }).flatMap(
              (file) =>
                JSON.parse(readFileSync(join(results, file), 'utf8')) as readonly {
                  readonly status: string;
                }[],
            );
            return {
              scenario,
              revision,
              complaints: checks.filter(
                ({ status }) => status === 'FAILURE' || status === 'WARNING',
              ),
              hasChecks: checks.length > 0,
            };
          });
        }),
      );
      expect(outcomes.flat()).toEqual(
        Object.entries(scenarios).flatMap(([revision, names]) =>
          names.map((scenario) => ({ scenario, revision, complaints: [], hasChecks: true })),
        ),
      );
    },
  );

  test(
    'takes the tool of the guide, and the linter has nothing to say',
    { timeout: LIMIT_MS },
    async () => {
      const file = join(copy, 'servers', NAME, `src/create-${NAME}-server.ts`);
      const [tool = ''] = blocks('ts');
      const lines = blocks('diff').flatMap((block) => block.trim().split('\n'));
      let source = readFileSync(file, 'utf8');
      for (const [index, line] of lines.entries()) {
        const [sign, text] = [line[0], line.slice(1)];
        expect(source).toContain(sign === '+' ? '' : text);
        if (sign === '-') source = source.replace(text, (lines[index + 1] ?? '').slice(1));
        else if (sign === '+' && !lines[index - 1]?.startsWith('-')) source = `${text}\n${source}`;
      }
      writeFileSync(file, source);
      writeFileSync(join(copy, 'servers', NAME, 'src/tools/read-note.ts'), tool);
      // A stale build file of a deleted source, which must not be packed.
      const left = join(copy, 'servers', NAME, 'dist/tools/deleted.d.ts');
      writeFileSync(left, 'export {};\n');
      await runIn(copy, `servers/${NAME}`, ['npm', 'run', '-s', 'build']);
      expect(existsSync(left)).toBe(false);
      await expect(
        runIn(copy, '.', ['oxlint', '--type-aware', '--deny-warnings', `servers/${NAME}`]),
      ).resolves.toMatchObject({
        stdout: expect.stringContaining('Found 0 warnings and 0 errors') as string,
      });
      const client = await connect('modern', () => spawnStdio({ command: bin(), args: [] }));
      await client.callTool('write_note', { title: 'Monday', text: 'Rain' });
      await expect(client.callTool('read_note', { title: 'Monday' })).resolves.toMatchObject({
        structuredContent: { text: 'Rain' },
      });
      await expect(client.callTool('read_note', { title: 'Sunday' })).resolves.toMatchObject({
        isError: true,
      });
    },
  );
});
