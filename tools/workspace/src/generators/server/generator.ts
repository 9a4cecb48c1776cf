import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  BASE_IMAGES,
  DOCKERIGNORE,
  dockerfile,
  serverNames,
  templateValues,
  TEMPLATES,
  updateServerJson,
  withOrigin,
  type Origin,
  type ServerJson,
  type ServerManifest,
  type ServerNames,
  type ServerOptions,
} from '@signalbox/create-server';
import { generateFiles, logger, readJson, writeJson, type Tree } from '@nx/devkit';
import { linkPackage } from './link-package.ts';
import { lockedWithWorkspace, type LockFile } from './lock-file.ts';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly [field: string]: unknown;
}

const LOCK = 'package-lock.json';
const CONFIG = 'tsconfig.json';

/**
 * Writes a complete server package and makes it a workspace: lock file, project references, links in node_modules. Needs no network.
 * @throws Error for a name that cannot be used, before anything is written.
 */
export default async function server(
  tree: Tree,
  options: ServerOptions,
): Promise<() => Promise<void>> {
  const names = serverNames(options);
  requireFree(tree, names);
  const core = readJson<Manifest>(tree, 'libs/mcp-core/package.json').version;
  const values = templateValues(names, {
    version: core,
    coreVersion: core,
    kitVersion: readJson<Manifest>(tree, 'libs/server-kit/package.json').version,
    testArguments: "'--conditions=@signalbox/source', ",
    program: `/path/to/signalbox/${names.folder}/bin.js`,
    pack: `npm pack -w ${names.packageName}`,
  });
  generateFiles(tree, join(TEMPLATES, 'server'), names.folder, values);
  writePublishingFiles(tree, names.folder);
  tree.changePermissions(`${names.folder}/bin.js`, '755');
  tree.write(`${names.folder}/LICENSE`, tree.read('LICENSE') ?? '');
  const manifest = readJson<Manifest>(tree, `${names.folder}/package.json`);
  const before = [LOCK, CONFIG].map((file) => ({
    file: join(tree.root, file),
    text: tree.read(file, 'utf8') ?? '',
  }));
  writeJson(
    tree,
    LOCK,
    lockedWithWorkspace(readJson<LockFile>(tree, LOCK), names.folder, manifest),
  );
  addReference(tree, `./${names.folder}`);
  return async () => {
    try {
      await linkPackage(tree.root, { folder: names.folder, command: names.command, manifest });
    } catch (error) {
      rmSync(join(tree.root, names.folder), { recursive: true, force: true });
      for (const { file, text } of before) writeFileSync(file, text);
      throw new Error(
        `${names.packageName} could not be linked in node_modules, so it was removed again. Run npm install and try once more.`,
        { cause: error },
      );
    }
    format(tree.root, names.folder);
    logger.info(
      `\n${names.packageName} is ready: npx nx test ${names.packageName}, then npx ${names.command} --help. What to change first: docs/extending.md`,
    );
  };
}

/** Writes what follows from package.json and server.json, as `npm run publishing-files` does. */
function writePublishingFiles(tree: Tree, folder: string): void {
  const root = readJson<Partial<Origin>>(tree, 'package.json');
  const written = readJson<ServerManifest>(tree, `${folder}/package.json`);
  const manifest = isOrigin(root) ? withOrigin(written, folder, root) : written;
  const serverJson = readJson<ServerJson>(tree, `${folder}/server.json`);
  writeJson(tree, `${folder}/package.json`, manifest);
  writeJson(tree, `${folder}/server.json`, updateServerJson(serverJson, manifest));
  tree.write(`${folder}/Dockerfile`, dockerfile(manifest, folder, BASE_IMAGES));
  tree.write(`${folder}/.dockerignore`, DOCKERIGNORE);
}

function isOrigin(root: Partial<Origin>): root is Origin {
  return root.author !== undefined && root.bugs !== undefined && root.repository !== undefined;
}

/** Formats the package as `npm run format` would: the length of its names decides where its lines break. */
function format(root: string, folder: string): void {
  const oxfmt = fileURLToPath(new URL('bin/oxfmt', import.meta.resolve('oxfmt/package.json')));
  // The formatter needs a second pass for some comments.
  for (let pass = 0; pass < 2; pass += 1)
    execFileSync(process.execPath, [oxfmt, folder], { cwd: root, stdio: 'ignore' });
}

function requireFree(tree: Tree, { name, folder, packageName, command }: ServerNames): void {
  if (tree.exists(folder))
    throw new Error(`The name "${name}" is taken: ${folder} exists. Choose another one.`);
  const { packages } = readJson<LockFile>(tree, LOCK);
  if (`node_modules/${packageName}` in packages)
    throw new Error(
      `The name "${name}" is taken: there is a package ${packageName}. Choose another one, or another --scope.`,
    );
  const owner = Object.entries(packages).find(([, { bin = {} }]) => command in bin)?.[0];
  if (owner !== undefined)
    throw new Error(
      `The name "${name}" is taken: ${owner} has a command ${command}. Choose another one, or another --scope.`,
    );
}

function addReference(tree: Tree, path: string): void {
  const config = readJson<{ readonly references: readonly { readonly path: string }[] }>(
    tree,
    CONFIG,
  );
  writeJson(tree, CONFIG, {
    ...config,
    references: [...config.references, { path }].toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  });
}
