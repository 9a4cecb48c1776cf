import { execFile } from 'node:child_process';
import { cpSync, globSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../../..');
const execute = promisify(execFile);

/** Files of the workspace that a new package needs; other packages are reduced to their project files. */
const COPIED = [
  '*.{json,ts}',
  '.npmrc',
  '.oxlintrc.json',
  '.oxfmtrc.json',
  'LICENSE',
  'tools/*.mjs',
  'tools/workspace/{*.json,src/generators}',
  'tools/create-server/{LICENSE,templates}',
  '{libs/*,tools/create-server}/{*.json,src,dist,bundle}',
  '{apps,examples,servers,tests,tests/support}/*/{package,tsconfig}.json',
  'bench/{package,tsconfig}.json',
];

/**
 * A writable copy of the workspace in a temporary folder: sources and builds of the libraries, and links to all installed packages.
 * Only read-only parts link back into the repository. `removeCopy` removes it.
 */
export async function copyWorkspace(): Promise<string> {
  const copy = join(await mkdtemp(join(tmpdir(), 'copied-')), 'workspace');
  const modules = join(copy, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  for (const path of globSync(COPIED, { cwd: root, exclude: ['tests/{peers,inspector}/**'] }))
    cpSync(join(root, path), join(copy, path), { recursive: true, preserveTimestamps: true });
  const installed = (await readdir(join(root, 'node_modules'))).filter(
    (name) => !name.startsWith('.') && !name.startsWith('@'),
  );
  await Promise.all(
    installed.map((name) =>
      symlink(join(root, 'node_modules', name), join(modules, name), 'junction'),
    ),
  );
  await cp(join(root, 'node_modules/.package-lock.json'), join(modules, '.package-lock.json'));
  // A scope may contain packages of the workspace, so the copy has its own folder for each scope.
  const scopes = (await readdir(join(root, 'node_modules'))).filter((name) => name.startsWith('@'));
  await Promise.all(
    ['.bin', ...scopes].map((folder) =>
      copyFolderOfLinks(join(root, 'node_modules', folder), join(modules, folder)),
    ),
  );
  return copy;
}

/** Cache of npm and npx for the commands in a copy: beside the copy, so that what npx installs finds no package of the workspace. */
export const npmCacheOf = (copy: string): string => join(dirname(copy), 'npm-cache');

/** Removes a copy of the workspace and its cache of npm. */
export function removeCopy(copy: string): Promise<void> {
  return rm(dirname(copy), { recursive: true, force: true, maxRetries: 5 });
}

/** Runs a command of the copy's node_modules or of the system in a folder of the copy. @throws Error with all output if it fails. */
export async function runIn(
  copy: string,
  folder: string,
  [command, ...args]: readonly [string, ...string[]],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  // Variables that Nx, npm and vitest set refer to the repository, not to the copy.
  const inherited = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:NX_|npm_|VITEST|VITE_|NODE_ENV$|NODE_OPTIONS$|INIT_CWD$|FORCE_COLOR$)/i.test(name),
  );
  const env = {
    ...Object.fromEntries(inherited),
    NX_DAEMON: 'false',
    NX_TUI: 'false',
    // A worker process for each plugin of Nx costs more than the work in it.
    NX_ISOLATE_PLUGINS: 'false',
    npm_config_cache: npmCacheOf(copy),
    npm_config_offline: 'true',
    PATH: [join(copy, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']].join(
      delimiter,
    ),
  };
  return execute(command, args, { cwd: join(copy, folder), env, maxBuffer: 64 * 1024 * 1024 });
}

/** Relative links stay inside the copy; installed packages are linked. */
async function copyFolderOfLinks(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const name of await readdir(from)) {
    const target = await readlink(join(from, name)).catch(() => undefined);
    await (target === undefined
      ? symlink(join(from, name), join(to, name), 'junction')
      : symlink(target, join(to, name)));
  }
}
