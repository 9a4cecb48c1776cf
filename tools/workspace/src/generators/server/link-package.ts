import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { lockedWithWorkspace, type LockFile } from './lock-file.ts';

export interface PackageToLink {
  /** Path relative to the root of the workspace. */
  readonly folder: string;
  readonly command: string;
  readonly manifest: { readonly name: string; readonly [field: string]: unknown };
}

/**
 * Makes the changes in node_modules that `npm install` would make for a new workspace, without network: links the package and its command, and records both as installed.
 * Undoes its changes if it fails.
 */
export async function linkPackage(
  workspace: string,
  { folder, command, manifest }: PackageToLink,
): Promise<void> {
  const modules = join(workspace, 'node_modules');
  const link = join(modules, manifest.name);
  const bin = join(modules, '.bin', process.platform === 'win32' ? `${command}.cmd` : command);
  const target = join(link, 'bin.js');
  const made: string[] = [];
  try {
    await mkdir(dirname(link), { recursive: true });
    await symlink(
      process.platform === 'win32'
        ? join(workspace, folder)
        : relative(dirname(link), join(workspace, folder)),
      link,
      'junction',
    );
    made.push(link);
    if (process.platform === 'win32')
      await writeFile(bin, `@node "%~dp0\\${relative(dirname(bin), target)}" %*\r\n`, {
        flag: 'wx',
      });
    else await symlink(relative(dirname(bin), target), bin);
    made.push(bin);
    await noteInstalled(join(modules, '.package-lock.json'), folder, manifest);
  } catch (error) {
    await Promise.all(made.map((path) => rm(path, { force: true })));
    throw error;
  }
}

/** Must run last: npm ignores this file if anything in node_modules is newer. */
async function noteInstalled(
  file: string,
  folder: string,
  manifest: PackageToLink['manifest'],
): Promise<void> {
  const installed = JSON.parse(await readFile(file, 'utf8')) as LockFile;
  const next = `${file}.next`;
  await writeFile(
    next,
    `${JSON.stringify(lockedWithWorkspace(installed, folder, manifest), null, 2)}\n`,
  );
  await rename(next, file);
}
