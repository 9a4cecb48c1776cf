import { execFile, spawn } from 'node:child_process';
import { globSync, readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { layOutPacked } from './testing/install-packed.ts';

const root = join(import.meta.dirname, '../../..');
const PACKAGES = ['apps/agent', 'servers/filesystem', 'servers/sqlite', 'servers/weather'];

let home: string;
beforeAll(async () => {
  home = await layOutPacked(
    PACKAGES.map((folder) => join(root, folder)),
    join(root, 'node_modules'),
  );
});

const program = (): string => join(home, 'node_modules/@signalbox/agent/bin.js');
const env = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  SIGNALBOX_DATA_DIR: join(home, 'data'),
});

/** Starts the packed service and returns its address and its output. */
async function serve(
  ...args: readonly string[]
): Promise<{ readonly url: string; readonly output: string }> {
  const child = spawn(process.execPath, [program(), 'serve', '--port', '0', ...args], {
    cwd: home,
    env: env(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const url = /ready on (http:\S+)/.exec(output)?.[1];
        if (url !== undefined && output.includes('Ctrl-C stops')) resolve({ url, output });
      });
    }
    void ended.then(() => reject(new Error(output)));
  });
}

interface Server {
  readonly name: string;
  readonly state: string;
}

async function servers(url: string): Promise<readonly Server[]> {
  const { data } = (await (await fetch(`${url}/v1/servers`)).json()) as {
    readonly data: readonly Server[];
  };
  return data.map(({ name, state }) => ({ name, state }));
}

test('the packed agent starts its demo outside of the repository, with the packed servers over the working directory', async () => {
  const { url, output } = await serve('--demo');
  expect(output).toContain(`files    ${home}\n`);
  await expect
    .poll(() => servers(url), { timeout: 30_000 })
    .toEqual(['filesystem', 'sqlite', 'weather'].map((name) => ({ name, state: 'ready' })));
});

test('the packed agent answers the demos that need no repository, and says which one it leaves out', async () => {
  const { code, stdout, stderr } = await new Promise<{
    code: number;
    stdout: string;
    stderr: string;
  }>((resolve) => {
    execFile(
      process.execPath,
      [program(), 'demo'],
      { cwd: home, env: env() },
      (error, stdout_, stderr_) =>
        resolve({ code: Number(error?.code ?? 0), stdout: stdout_, stderr: stderr_ }),
    );
  });
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('demo: 2 of 2 answers are correct');
  expect(stderr).toContain(`the demo of the workspace is left out: ${home} is not the repository`);
});

const packed = (): string => join(home, 'node_modules/@signalbox/agent');

test('it has its licences, the JSON Schema of its configuration and the OpenAPI document, and no sources, tests or maps', () => {
  const folder = packed();
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'bin.js',
      'bundle',
      'dist',
      'openapi.json',
      'signalbox.schema.json',
    ]),
  );
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(
    expect.arrayContaining(
      [
        'bundle/main.js',
        'bundle/index.js',
        'bundle/THIRD-PARTY-NOTICES.txt',
        'dist/index.d.ts',
      ].map((file) => join(file)),
    ),
  );
  expect(
    files.filter((file) =>
      /^src\b|\.test\.|\.map$|(?:^|[/\\])testing(?:[/\\]|\.|$)|\.tsbuildinfo$/.test(file),
    ),
  ).toEqual([]);
  expect(readFileSync(join(folder, 'bundle/THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain(
    '\nfastify 5.12.8 (MIT)\n\n',
  );
});

test('it names every package that its programs import, and its servers as optional ones', () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(packed(), 'package.json'), 'utf8'),
  ) as { readonly dependencies: object; readonly optionalDependencies: object };
  expect(Object.keys(optionalDependencies)).toEqual([
    '@signalbox/server-filesystem',
    '@signalbox/server-sqlite',
    '@signalbox/server-weather',
  ]);
  const imported = globSync('bundle/*.js', { cwd: packed() })
    .map((file) => readFileSync(join(packed(), file), 'utf8'))
    .flatMap((text) => [
      ...text.matchAll(/^(?:import|export)\b[^'"\n;]*\bfrom\s*['"]([^'"]+)['"]/gm),
      ...text.matchAll(/\b__require\(['"]([^'"]+)['"]\)/g),
      ...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g),
    ])
    .map(([, specifier = '']) => specifier)
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier))
    // `@scope/name/file` or `name/file`
    .map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier);
  expect([...new Set(imported)].toSorted()).toEqual(Object.keys(dependencies));
});
