// Whether the packages are built from the files that are there now. Nx without its daemon writes the builds out of its cache at every call,
// which takes a second and pulls the files away from under a service that runs.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDERS = ['apps', 'libs', 'servers', 'tools'];
const IGNORED = new Set(['node_modules', '.results', '.signalbox']);

/** The file with the state of the last build. */
const record = (root) => join(root, '.nx', 'built');

/** Returns true where sources, builds, root files and the version of Node are those of the last recorded build. */
export function isBuilt(root) {
  try {
    return readFileSync(record(root), 'utf8') === stateOf(root);
  } catch {
    return false;
  }
}

/** Records that the packages are built. */
export function recordBuild(root) {
  mkdirSync(dirname(record(root)), { recursive: true });
  writeFileSync(record(root), stateOf(root));
}

/** A hash of path, size and time of change of every file. */
function stateOf(root) {
  const hash = createHash('sha256').update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !IGNORED.has(entry.name)) walk(path);
      else if (entry.isFile()) add(path);
    }
  };
  for (const entry of readdirSync(root, { withFileTypes: true }))
    if (entry.isFile() && /\.(?:json|ts)$/.test(entry.name)) add(join(root, entry.name));
  for (const folder of FOLDERS) walk(join(root, folder));
  return hash.digest('hex');
}
