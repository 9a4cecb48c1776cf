import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ServerOptions } from '@signalbox/create-server';
import { flushChanges, FsTree, type Tree } from 'nx/src/generators/tree.js';
import { describe, expect, test } from 'vitest';
import server from './generator.ts';
import type { LockFile } from './lock-file.ts';

const lock: LockFile = {
  packages: {
    '': { name: '@signalbox/source' },
    'libs/server-kit': { name: '@signalbox/server-kit' },
    'node_modules/@signalbox/server-kit': { resolved: 'libs/server-kit', link: true },
    'node_modules/zod': { version: '4.6.7', bin: { 'acme-trips': 'cli.js' } },
  },
};

const origin = {
  author: 'The authors',
  bugs: { url: 'https://git.invalid/acme/issues' },
  repository: { type: 'git', url: 'git+https://git.invalid/acme.git' },
};

/** A minimal workspace for the generator. */
function smallWorkspace(): string {
  const root = mkdtempSync(join(tmpdir(), 'small-'));
  const files = {
    LICENSE: 'MIT License',
    'package.json': JSON.stringify(origin),
    'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    'tsconfig.json': `${JSON.stringify({ files: [], references: [{ path: './libs/server-kit' }, { path: './tools/workspace' }] }, null, 2)}\n`,
    'libs/mcp-core/package.json': '{ "name": "@signalbox/mcp-core", "version": "3.1.0" }',
    'libs/server-kit/package.json': '{ "name": "@signalbox/server-kit", "version": "3.2.0" }',
    'servers/weather/package.json': '{ "name": "@signalbox/server-weather" }',
    'node_modules/.package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    'node_modules/.bin/tsc': '',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  return root;
}

/** Generates a server as `nx g` does. */
async function generate(root: string, options: ServerOptions): Promise<Tree> {
  const tree = new FsTree(root, false);
  const link = await server(tree, options);
  flushChanges(root, tree.listChanges());
  await link();
  return tree;
}

const read = (root: string, file: string): string => readFileSync(join(root, file), 'utf8');
const readJson = (root: string, file: string): unknown => JSON.parse(read(root, file));

describe('nx g @signalbox/workspace:server', () => {
  test('links package and command, and both lock files say so', async () => {
    const root = smallWorkspace();
    await generate(root, { name: 'trips' });
    expect(readlinkSync(join(root, 'node_modules/@signalbox/server-trips'))).toBe(
      '../../servers/trips',
    );
    expect(lstatSync(join(root, 'servers/trips/bin.js')).mode & 0o111).toBe(0o111);
    expect(readFileSync(join(root, 'node_modules/.bin/signalbox-trips'))).toEqual(
      readFileSync(join(root, 'servers/trips/bin.js')),
    );
    for (const file of ['package-lock.json', 'node_modules/.package-lock.json']) {
      expect(readJson(root, file)).toMatchObject({
        packages: {
          'servers/trips': {
            name: '@signalbox/server-trips',
            version: '3.1.0',
            bin: { 'signalbox-trips': 'bin.js' },
          },
          'node_modules/@signalbox/server-trips': { resolved: 'servers/trips', link: true },
        },
      });
    }
    expect(readJson(root, 'tsconfig.json')).toMatchObject({
      references: [
        { path: './libs/server-kit' },
        { path: './servers/trips' },
        { path: './tools/workspace' },
      ],
    });
  });

  test('depends on the libraries by their versions, for development and as optional peers alone', async () => {
    const root = smallWorkspace();
    await generate(root, { name: 'trips', scope: '@acme2' });
    const manifest = readJson(root, 'servers/trips/package.json');
    expect(manifest).toMatchObject({
      name: '@acme2/server-trips',
      devDependencies: { '@signalbox/mcp-core': '3.1.0', '@signalbox/server-kit': '3.2.0' },
      peerDependencies: { '@signalbox/mcp-core': '3.1.0', '@signalbox/server-kit': '3.2.0' },
    });
    expect(manifest).not.toHaveProperty('dependencies');
  });

  test('writes its entry of the MCP Registry and its Dockerfile, with the addresses of the root', async () => {
    const workspace = smallWorkspace();
    await generate(workspace, { name: 'trips', scope: 'acme2' });
    expect(readJson(workspace, 'servers/trips/package.json')).toMatchObject({
      mcpName: 'io.github.acme2/trips',
      author: 'The authors',
      repository: { ...origin.repository, directory: 'servers/trips' },
    });
    expect(readJson(workspace, 'servers/trips/server.json')).toMatchObject({
      name: 'io.github.acme2/trips',
      version: '3.1.0',
      repository: { url: 'https://git.invalid/acme', subfolder: 'servers/trips' },
      packages: [{ identifier: '@acme2/server-trips', version: '3.1.0' }],
    });
    expect(read(workspace, 'servers/trips/Dockerfile')).toContain('ENTRYPOINT ["acme2-trips"]');
  });

  test('writes a description with any characters', async () => {
    const root = smallWorkspace();
    const description = 'Says "it\'s `here`", costs ${price} or $5, in C:\\notes <b>';
    await generate(root, { name: 'trips', description });
    expect(readJson(root, 'servers/trips/package.json')).toMatchObject({ description });
    expect(read(root, 'servers/trips/README.md')).toContain(description);
    const [, usage = ''] =
      /const usage = (`[\s\S]*?(?<!\\)`);/.exec(read(root, 'servers/trips/src/command.ts')) ?? [];
    const evaluated = join(root, 'usage.mjs');
    writeFileSync(evaluated, `export const usage = ${usage};`);
    expect(await import(evaluated)).toMatchObject({
      usage: expect.stringContaining(description) as string,
    });
  });

  test.each<[string, ServerOptions, string]>([
    ['a folder', { name: 'weather' }, 'The name "weather" is taken: servers/weather exists.'],
    [
      'a package',
      { name: 'kit' },
      'The name "kit" is taken: there is a package @signalbox/server-kit.',
    ],
    [
      'a command',
      { name: 'trips', scope: 'acme' },
      'The name "trips" is taken: node_modules/zod has a command acme-trips.',
    ],
    ['nothing a name can be', { name: 'No!' }, '"No!" cannot be the name of a server.'],
  ])('writes nothing for a name that is %s', async (_what, options, problem) => {
    const tree = new FsTree(smallWorkspace(), false);
    await expect(server(tree, options)).rejects.toThrow(problem);
    expect(tree.listChanges()).toEqual([]);
  });

  test.each(['node_modules/.bin/signalbox-trips', 'node_modules/@signalbox/server-trips'])(
    'leaves nothing behind when %s exists',
    async (obstacle) => {
      const root = smallWorkspace();
      mkdirSync(join(root, obstacle), { recursive: true });
      const before = ['package-lock.json', 'tsconfig.json', 'node_modules/.package-lock.json'].map(
        (file) => read(root, file),
      );
      await expect(generate(root, { name: 'trips' })).rejects.toThrow(
        'could not be linked in node_modules, so it was removed again',
      );
      expect(
        ['package-lock.json', 'tsconfig.json', 'node_modules/.package-lock.json'].map((file) =>
          read(root, file),
        ),
      ).toEqual(before);
      expect(existsSync(join(root, 'servers/trips'))).toBe(false);
      rmSync(join(root, obstacle), { recursive: true });
      expect(
        lstatSync(join(root, 'node_modules/.bin/signalbox-trips'), { throwIfNoEntry: false }),
      ).toBeUndefined();
      expect(
        lstatSync(join(root, 'node_modules/@signalbox/server-trips'), { throwIfNoEntry: false }),
      ).toBeUndefined();
    },
  );

  test('leaves nothing behind when npm has not installed the workspace', async () => {
    const root = smallWorkspace();
    rmSync(join(root, 'node_modules/.package-lock.json'));
    await expect(generate(root, { name: 'trips' })).rejects.toThrow(
      'Run npm install and try once more',
    );
    expect(existsSync(join(root, 'servers/trips'))).toBe(false);
    expect(
      lstatSync(join(root, 'node_modules/.bin/signalbox-trips'), { throwIfNoEntry: false }),
    ).toBeUndefined();
  });
});
