// node deploy/image/assemble.mjs FOLDER: puts the built packages, their production dependencies and the commands of the image into a new folder.
// The packages are packed as for publication. The dependencies come from node_modules, so they are the versions of package-lock.json.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');
const PACKAGES = ['apps/agent', ...globSync('servers/*', { cwd: root }).toSorted()];
const COMMANDS = ['signalbox', 'health.mjs', 'backup.mjs'];

/** Files that nothing reads at run time: source maps, types, sources and headers of native code. */
const UNUSED = /\.(?:map|d\.[cm]?ts|[ch]|[ch]pp|cc|gypi?)$/;
/** Parts that are copied of a package, where not all of them are needed. An empty list leaves the package out. */
const PARTS = {
  'better-sqlite3': [
    'LICENSE',
    'package.json',
    'lib',
    `prebuilds/${process.platform}-${process.arch}.node`,
  ],
  // Headers, for compiling native code.
  'node-addon-api': [],
};

const [target] = process.argv.slice(2);
if (target === undefined || existsSync(target)) {
  console.error('assemble: name a new folder');
  process.exit(2);
}
const modules = join(target, 'node_modules');
unpackAll();
for (const folder of PACKAGES) copyDependencies(join(root, folder));
mkdirSync(join(target, 'image'));
for (const file of COMMANDS) cpSync(join(import.meta.dirname, file), join(target, 'image', file));
linkCommands();

/** Unpacks the tarballs that would be published. */
function unpackAll() {
  const packed = mkdtempSync(join(tmpdir(), 'signalbox-pack-'));
  const folders = PACKAGES.map((folder) => `./${folder}`);
  const options = ['--ignore-scripts', '--loglevel=error', '--pack-destination', packed];
  execFileSync('npm', ['pack', ...folders, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const folder of PACKAGES) {
    const { name, version } = manifestOf(join(root, folder));
    const tarball = join(packed, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`);
    const into = join(modules, name);
    mkdirSync(into, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', into, '--strip-components=1']);
    for (const file of globSync('**/*', { cwd: into }).filter((path) => UNUSED.test(path)))
      rmSync(join(into, file));
  }
  rmSync(packed, { recursive: true });
}

/** Copies the dependencies of the package in a folder, and their dependencies, to the place that they have in node_modules. */
function copyDependencies(folder) {
  const { dependencies = {}, optionalDependencies = {} } = manifestOf(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const source = installed(name, folder);
    if (source === undefined && name in optionalDependencies) continue;
    if (source === undefined)
      throw new Error(`${name}, a dependency of ${relative(root, folder)}, is not installed`);
    const place = join(target, relative(root, source));
    // A package of the workspace is a link to its folder, not in node_modules.
    if (existsSync(place) || !relative(root, source).startsWith('node_modules')) continue;
    const parts = PARTS[name] ?? ['.'];
    for (const part of parts) copy(join(source, part), join(place, part));
    if (parts.length > 0) copyDependencies(source);
  }
}

function copy(from, to) {
  cpSync(from, to, {
    recursive: true,
    // A nested node_modules is copied with the dependency that needs it.
    filter: (path) => !UNUSED.test(path) && !relative(from, path).startsWith('node_modules'),
  });
}

/** Returns the folder of an installed package as seen from another folder. */
function installed(name, folder) {
  return createRequire(join(folder, 'package.json'))
    .resolve.paths(name)
    .map((path) => join(path, name))
    .find((path) => existsSync(join(path, 'package.json')));
}

/** Links `signalbox` and the programs of the servers into `bin`. */
function linkCommands() {
  const bin = join(target, 'bin');
  mkdirSync(bin);
  symlinkSync('../image/signalbox', join(bin, 'signalbox'));
  for (const folder of PACKAGES.filter((path) => path.startsWith('servers'))) {
    const { name, bin: programs } = manifestOf(join(root, folder));
    for (const [command, file] of Object.entries(programs)) {
      const program = join(modules, name, file);
      chmodSync(program, 0o755);
      symlinkSync(relative(bin, program), join(bin, command));
    }
  }
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
