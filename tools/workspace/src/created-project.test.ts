import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { connectClient } from '@signalbox/mcp-core/client';
import { spawnStdio } from '@signalbox/mcp-core/stdio';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { layOutPacked, packPackages, type Tarball } from './testing/install-packed.ts';

const root = join(import.meta.dirname, '../../..');
const modules = join(root, 'node_modules');
const run = promisify(execFile);
const isGenerator = ({ name }: Tarball): boolean => name === '@signalbox/create-server';

let packed: readonly Tarball[];
/** The packed `create-server`. */
let program: string;
beforeAll(async () => {
  packed = await packPackages(
    ['libs/mcp-core', 'libs/server-kit', 'tools/create-server'].map((folder) => join(root, folder)),
  );
  const home = await layOutPacked(
    packed.filter((each) => isGenerator(each)),
    { folder: modules, names: [] },
  );
  program = join(home, 'node_modules/@signalbox/create-server/bin.js');
});

function create(cwd: string, ...args: readonly string[]) {
  const { status, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: 'utf8',
  });
  return { status, stderr };
}

describe('a project that the packed create-server makes outside of the workspace', () => {
  let project: string;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'created-'));
    const [{ path } = { path: '' }] = packed;
    const options = ['--scope', '@acme', '--libraries', dirname(path)];
    const { status, stderr } = create(folder, 'trip-notes', ...options);
    if (status !== 0) throw new Error(stderr);
    project = join(folder, 'trip-notes');
    // In place of npm install: the packed libraries, and links to the installed tools.
    const home = await layOutPacked(
      packed.filter((each) => !isGenerator(each)),
      { folder: modules, names: ['@types/node', 'ajv', 'ajv-formats', 'typescript', 'vitest'] },
    );
    renameSync(join(home, 'node_modules'), join(project, 'node_modules'));
  });

  test('names the libraries by their tarballs, itself in the MCP Registry, and its program in every snippet', () => {
    const read = (file: string): string => readFileSync(join(project, file), 'utf8');
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: '@acme/server-trip-notes',
      mcpName: 'io.github.acme/trip-notes',
      dependencies: { '@signalbox/mcp-core': expect.stringMatching(/^file:.*\.tgz$/) as string },
    });
    expect(JSON.parse(read('server.json'))).toMatchObject({ name: 'io.github.acme/trip-notes' });
    expect(JSON.parse(read('manifest.json'))).toMatchObject({ name: 'acme-trip-notes' });
    expect(read('README.md').match(/\/path\/to\/trip-notes\/bin\.js/g)?.length).toBe(5);
    expect(read('Dockerfile')).toContain('ENTRYPOINT ["acme-trip-notes"]');
    const files = readdirSync(project, { recursive: true, encoding: 'utf8' }).filter(
      (file) => !file.startsWith('node_modules'),
    );
    expect(files.filter((file) => /template|__/.test(file))).toEqual([]);
    for (const file of files.filter((each) => /\.\w+$/.test(each)))
      expect(read(file), file).not.toMatch(/<%|tsconfig\.base|vitest\.shared|@signalbox\/source/);
  });

  test('compiles, passes its own tests, and runs from its build', async () => {
    const node = (...args: readonly string[]) =>
      run(process.execPath, args, {
        cwd: project,
        env: { PATH: process.env['PATH'], NO_COLOR: '1' },
      });
    await node(join(modules, 'typescript/bin/tsc'));
    const vitest = join(modules, 'vitest/vitest.mjs');
    const { stdout } = await node(vitest, 'run', '--no-isolate');
    expect(stdout).toMatch(/Tests +24 passed \(24\)/);
    const client = await connectClient(
      () => spawnStdio({ command: process.execPath, args: [join(project, 'bin.js')] }),
      { info: { name: 'test', version: '1' } },
    );
    onTestFinished(() => client.close());
    const result = await client.callTool('write_note', { title: 'Monday', text: 'Rain' });
    expect(result.structuredContent).toMatchObject({ notes: 1 });
  });
});

describe('create-server writes nothing', () => {
  test.each<[string, readonly string[], string]>([
    ['without a name', [], 'name one folder'],
    ['for a name that cannot be used', ['No!'], '"No!" cannot be the name of a server'],
    ['for an unknown option', ['notes', '--force'], "Unknown option '--force'"],
    ['without the libraries', ['notes', '--libraries', '.'], '. has no tarball of @signalbox/'],
  ])('%s', (_what, args, problem) => {
    const folder = mkdtempSync(join(tmpdir(), 'created-'));
    const { status, stderr } = create(folder, ...args);
    expect(stderr).toContain(problem);
    expect(status).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('into a folder that exists', () => {
    const folder = mkdtempSync(join(tmpdir(), 'created-'));
    expect(create(folder, 'notes')).toMatchObject({ status: 0 });
    expect(existsSync(join(folder, 'notes/package.json'))).toBe(true);
    expect(create(folder, 'notes').stderr).toContain('the folder notes exists');
    expect(readdirSync(folder)).toEqual(['notes']);
  });
});
