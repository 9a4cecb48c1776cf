// The packages of the workspace that are published, packed into a folder.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');
const windows = process.platform === 'win32';

/** Settings of an npm that runs these checks, such as its prefix, refer to the workspace. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(?:registry|cache|cafile|.*proxy)$)/i.test(name),
  ),
);

/** Runs npm or npx in a folder and returns its stdout. */
export function run(program, args, cwd) {
  return execFileSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
  });
}

export function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Packs every published package into a folder. Returns their manifests, folders and tarballs, by name. */
export function packAll(target) {
  const folders = globSync('{apps,libs,servers,tools}/*/package.json', { cwd: root })
    .map((file) => dirname(join(root, file)))
    .filter((folder) => readJson(join(folder, 'package.json')).private !== true);
  const args = ['pack', ...folders, '--ignore-scripts', '--json', '--pack-destination', target];
  const packs = JSON.parse(run('npm', args, root));
  return folders
    .map((folder) => {
      const manifest = readJson(join(folder, 'package.json'));
      const { filename, files } = packs.find(({ name }) => name === manifest.name);
      return {
        name: manifest.name,
        manifest,
        folder,
        tarball: join(target, filename),
        files: files.map(({ path }) => path),
      };
    })
    .toSorted((left, right) => left.name.localeCompare(right.name));
}

/** Returns a package with the packages of the workspace that are installed with it. */
export function withDependencies(name, packages) {
  const found = new Map();
  const visit = (each) => {
    const own = packages.find((candidate) => candidate.name === each);
    if (own === undefined || found.has(each)) return;
    found.set(each, own);
    const { dependencies = {}, optionalDependencies = {} } = own.manifest;
    for (const dependency of Object.keys({ ...dependencies, ...optionalDependencies }))
      visit(dependency);
  };
  visit(name);
  return [...found.values()];
}
