// Makes a release of the last commit in a clone, without publishing it.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { readJson, root, run } from './packages.mjs';

/** Releases the next version in a clone. Returns the version, and the problems of the result, one line each. */
export function releaseInClone(folder) {
  const git = (...args) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  execFileSync('git', ['clone', '--quiet', '--shared', root, folder]);
  for (const [name, value] of [
    ['user.name', 'check-packages'],
    ['user.email', 'check@packages.invalid'],
  ])
    git('config', name, value);
  linkModules(folder);
  const before = readJson(join(folder, 'apps/agent/package.json')).version;
  const isFirst = git('tag', '--list', 'v*') === '';
  process.env.NX_DAEMON = 'false';
  run(
    process.execPath,
    [
      join(folder, 'node_modules/nx/dist/bin/nx.js'),
      'release',
      ...(isFirst ? ['--first-release'] : []),
      '--skip-publish',
    ],
    folder,
  );
  const { version } = readJson(join(folder, 'apps/agent/package.json'));
  const manifests = globSync('{apps,libs,servers,bench,examples,tests,tools}/{*/,}package.json', {
    cwd: folder,
  });
  const outdated = manifests.filter((file) => {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = readJson(
      join(folder, file),
    );
    return Object.entries({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
      ...peerDependencies,
    }).some(([name, wanted]) => name.startsWith('@signalbox/') && wanted === before);
  });
  const servers = globSync('servers/*/server.json', { cwd: folder });
  const changelog = join(folder, 'CHANGELOG.md');
  return {
    version,
    found: [
      ...(version === before ? ['release: the version is still the same'] : []),
      ...outdated.map((file) => `release: ${file} depends on ${before}`),
      ...servers
        .filter((file) => readJson(join(folder, file)).version !== version)
        .map((file) => `release: ${file} has another version`),
      ...(existsSync(changelog) && readFileSync(changelog, 'utf8').includes(`## ${version}`)
        ? []
        : ['release: CHANGELOG.md lacks the version']),
      ...(git('tag', '--points-at', 'HEAD') === `v${version}`
        ? []
        : ['release: the commit has no tag']),
      ...(git('status', '--porcelain') === ''
        ? []
        : [`release: files are left: ${git('status', '--porcelain')}`]),
    ],
  };
}

/** Links the installed packages into a clone. The packages of the workspace are those of the clone. */
function linkModules(folder) {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(root, 'node_modules'))) {
    const from = join(root, 'node_modules', name);
    if (name === '@signalbox')
      cpSync(from, join(modules, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(from, join(modules, name), 'junction');
  }
}
