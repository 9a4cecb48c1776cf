// How nx release reads and writes versions: all packages have one version, and name each other by it. The implementation of @nx/js is not installed: it brings a
// compiler and 100 packages for what 60 lines do here.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VersionActions } from 'nx/release/index.js';

const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

export default class PackageVersionActions extends VersionActions {
  validManifestFilenames = ['package.json'];
  excludeManifestsFromFormatting = true;

  readCurrentVersionFromSourceManifest(tree) {
    const manifestPath = join(this.projectGraphNode.data.root, 'package.json');
    const { version: currentVersion } = JSON.parse(tree.read(manifestPath, 'utf8'));
    return Promise.resolve({ currentVersion, manifestPath });
  }

  readCurrentVersionFromRegistry() {
    throw new Error(
      'versions come from git tags and package.json: set currentVersionResolver to one of these',
    );
  }

  readCurrentVersionOfDependency(tree, _projectGraph, name) {
    const manifest = JSON.parse(
      tree.read(join(this.projectGraphNode.data.root, 'package.json'), 'utf8'),
    );
    const dependencyCollection =
      FIELDS.find((field) => manifest[field]?.[name] !== undefined) ?? null;
    const currentVersion =
      dependencyCollection === null ? null : manifest[dependencyCollection][name];
    return Promise.resolve({ currentVersion, dependencyCollection });
  }

  updateProjectVersion(tree, version) {
    return this.#update(tree, (manifest) => ({ ...manifest, version }), `version ${version}`);
  }

  updateProjectDependencies(tree, _projectGraph, versions) {
    return this.#update(tree, (manifest) => withVersions(manifest, versions), 'dependencies');
  }

  #update(tree, change, what) {
    return Promise.resolve(
      this.manifestsToUpdate.map(({ manifestPath }) => {
        const manifest = JSON.parse(tree.read(manifestPath, 'utf8'));
        tree.write(manifestPath, `${JSON.stringify(change(manifest), null, 2)}\n`);
        return `wrote the ${what} of ${manifestPath}`;
      }),
    );
  }
}

/** Writes what follows from the new versions: dependencies of the other packages of the workspace, server.json files and the lock file. */
export function afterAllProjectsVersioned(cwd, { dryRun = false }) {
  if (dryRun) return Promise.resolve({ changedFiles: [], deletedFiles: [] });
  const { workspaces } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
  const manifests = globSync(
    workspaces.map((folder) => `${folder}/package.json`),
    { cwd },
  ).map((path) => ({
    path: join(cwd, path),
    manifest: JSON.parse(readFileSync(join(cwd, path), 'utf8')),
  }));
  const versions = Object.fromEntries(
    manifests.map(({ manifest: { name, version } }) => [name, version]),
  );
  for (const { path, manifest } of manifests)
    writeFileSync(path, `${JSON.stringify(withVersions(manifest, versions), null, 2)}\n`);
  const run = (program, args) =>
    execFileSync(program, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });
  run('npm', ['run', '-s', 'publishing-files', '-w', '@signalbox/workspace']);
  run('npm', [
    'install',
    '--package-lock-only',
    '--ignore-scripts',
    '--prefer-offline',
    '--loglevel=error',
  ]);
  const changedFiles = run('git', ['diff', '--name-only'])
    .split('\n')
    .filter((line) => line !== '');
  return Promise.resolve({ changedFiles, deletedFiles: [] });
}

/** Returns a package.json with other versions of the dependencies that it has. */
function withVersions(manifest, versions) {
  const changed = FIELDS.filter((field) => manifest[field] !== undefined).map((field) => [
    field,
    Object.fromEntries(
      Object.entries(manifest[field]).map(([name, version]) => [name, versions[name] ?? version]),
    ),
  ]);
  return { ...manifest, ...Object.fromEntries(changed) };
}
