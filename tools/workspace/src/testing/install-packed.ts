import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface InstalledPackage {
  /** Files of the tarball, relative to its folder. */
  readonly files: readonly string[];
  /** Path of the package in the node_modules of `home`. */
  readonly folder: string;
  /** A project outside the workspace with this package and its installed dependencies. */
  readonly home: string;
}

const run = promisify(execFile);

/** Packs built packages and installs each in a new temporary folder from its tarball alone, without network. */
export async function installPacked(
  sources: readonly string[],
): Promise<readonly InstalledPackage[]> {
  const tarballs = await mkdtemp(join(tmpdir(), 'packed-'));
  const installed: InstalledPackage[] = [];
  for (const pack of await packInto(tarballs, sources)) {
    const home = await mkdtemp(join(tmpdir(), 'installed with a space-'));
    await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
    await rename(join(tarballs, pack.filename), join(home, pack.filename));
    await npm(home, ['install', '--offline', '--no-audit', '--no-fund', `./${pack.filename}`]);
    installed.push({
      files: pack.files.map(({ path }) => path),
      folder: join(home, 'node_modules', pack.name),
      home,
    });
  }
  return installed;
}

/** Returns the files of a tarball, relative to its folder. */
export async function packedFiles(tarball: string): Promise<readonly string[]> {
  const { stdout } = await run('tar', ['-tzf', tarball]);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((path) => path.replace(/^package\//, ''));
}

/** A packed package. */
export interface Tarball {
  readonly name: string;
  readonly path: string;
}

/** Packs built packages into a new temporary folder. */
export async function packPackages(sources: readonly string[]): Promise<readonly Tarball[]> {
  const folder = await mkdtemp(join(tmpdir(), 'packed-'));
  return (await packInto(folder, sources)).map(({ name, filename }) => ({
    name,
    path: join(folder, filename),
  }));
}

/**
 * Unpacks packages into the node_modules of a new temporary folder, beside links to third-party packages, without network.
 * Returns the folder.
 */
export async function layOutPacked(
  tarballs: readonly Tarball[],
  foreign: { readonly folder: string; readonly names: readonly string[] },
): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'laid out with a space-'));
  const modules = join(home, 'node_modules');
  for (const { name, path } of tarballs) {
    const folder = join(modules, name);
    await mkdir(folder, { recursive: true });
    await run('tar', ['-xzf', path, '-C', folder, '--strip-components=1']);
  }
  await writeFile(join(home, 'package.json'), '{ "private": true, "type": "module" }');
  for (const name of foreign.names) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(join(foreign.folder, name), join(modules, name), 'junction');
  }
  return home;
}

interface Pack {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs built packages by one start of npm, which takes longer than packing. */
async function packInto(folder: string, sources: readonly string[]): Promise<readonly Pack[]> {
  const [first] = sources;
  if (first === undefined) throw new Error('no package to pack');
  const packs = JSON.parse(
    await npm(first, [
      'pack',
      ...sources,
      '--ignore-scripts',
      '--json',
      '--pack-destination',
      folder,
    ]),
  ) as readonly Pack[];
  if (packs.length !== sources.length)
    throw new Error(
      `npm packed ${packs.length} of ${sources.length} packages: ${sources.join(', ')}`,
    );
  return packs;
}

async function npm(cwd: string, args: readonly string[]): Promise<string> {
  // Settings of an npm that runs these tests, such as its prefix, refer to the workspace.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)),
  );
  const { stdout } = await run('npm', args, { cwd, env, shell: process.platform === 'win32' });
  return stdout;
}
