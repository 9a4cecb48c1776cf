import { chmodSync, chownSync, copyFileSync, existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkCompose } from './check-compose.ts';
import { checkManifests } from './check-kubernetes.ts';
import { checkServerImages } from './check-servers.ts';
import { parseDockerfile } from './dockerfile.ts';
import { startEngines } from './engines.ts';
import { buildImage, command, type Image } from './image.ts';
import { bytesOf, SIZE_LIMIT_MB, sizeTable } from './image-size.ts';

const repository = join(import.meta.dirname, '../../../..');
const deploy = join(repository, 'deploy');

/** Packages of the base image whose libraries Node and the native addon may use. apt, which every Debian image has, depends on them. */
const BASE_LIBRARIES = ['libc6', 'libgcc-s1', 'libstdc++6'];
/** Files that are of no use at run time, and names of packages that only build and test. */
const UNWANTED = '**/{*.map,*.d.ts,*.[ch],*.[ch]pp,*.gyp,typescript,vitest,nx,esbuild,oxlint}';

const log = (line: string): void => void process.stdout.write(`${line}\n`);

/** Builds the image and starts containers from it. Prints what was checked. @throws Error for the first check that fails */
export async function buildAndCheck(folder: string, base: string | undefined): Promise<void> {
  const startedAt = performance.now();
  chmodSync(folder, 0o755);
  const bases = {
    baseOf: (name: string) => (name.startsWith('debian:') ? (base ?? '/') : '/'),
    prepareBase,
    log,
  };
  const image = buildImage({
    stages: parseDockerfile(readFileSync(join(deploy, 'Dockerfile'), 'utf8')),
    context: repository,
    ignoreFile: join(deploy, 'Dockerfile.dockerignore'),
    folder: join(folder, 'build'),
    ...bases,
  });
  checkContent(image);
  checkSize(image);
  const built = performance.now();
  log(`built in ${seconds(startedAt, built)} s`);
  const engines = await startEngines();
  const checks = { image, engines, log };
  await checkCompose({ ...checks, deploy, folder: join(folder, 'compose') });
  for (const file of globSync('kubernetes/*.yaml', { cwd: deploy }).toSorted())
    await checkManifests({ ...checks, file: join(deploy, file), folder: join(folder, file) });
  await engines?.close();
  await checkServerImages({ ...bases, repository, folder: join(folder, 'servers') });
  log(`checked in ${seconds(built, performance.now())} s`);
}

const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1);

/** Adds Node to the root folder that stands for the image of Node. @throws Error when the Dockerfile names another version */
function prepareBase(image: string, root: string): void {
  if (!image.startsWith('node:')) return;
  if (!image.startsWith(`node:${process.versions.node}-`))
    throw new Error(`the Dockerfile builds with ${image}, this is Node ${process.versions.node}`);
  const node = join(root, 'usr/local/bin/node');
  copyFileSync(process.execPath, node);
  chmodSync(node, 0o755);
  chownSync(node, 0, 0);
  copyFileSync(join(dirname(process.execPath), '../LICENSE'), join(root, 'usr/local/LICENSE'));
}

function checkContent({ root, config }: Image): void {
  const programs = join(root, 'opt/signalbox');
  const unwanted = globSync(UNWANTED, { cwd: programs });
  if (unwanted.length > 0) throw new Error(`the image has ${unwanted.join(', ')}`);
  const [uid] = config.user.split(':').map(Number);
  if (uid === undefined || !(uid > 0)) throw new Error(`the image runs as ${config.user}`);
  const packages = sharedLibraries(root).map((library) => {
    const [line = ''] = command('chroot', [root, 'dpkg', '-S', `*/${library}`]).split('\n');
    return line.replace(/:.*/, '');
  });
  const others = packages.filter((name) => !BASE_LIBRARIES.includes(name));
  if (others.length > 0) throw new Error(`Node needs ${others.join(', ')}, which the image lacks`);
  log(
    `no sources, headers, maps or development packages; libraries of ${BASE_LIBRARIES.join(', ')} only`,
  );
}

/** Returns the names of the libraries that Node and the native addon load. */
function sharedLibraries(root: string): readonly string[] {
  const addons = globSync('opt/signalbox/**/*.node', { cwd: root }).map((path) => `/${path}`);
  if (addons.length === 0 || !existsSync(join(root, 'usr/local/bin/node')))
    throw new Error('the image has no Node or no native addon');
  const lines = ['/usr/local/bin/node', ...addons].flatMap((file) =>
    command('chroot', [root, 'ldd', file]).split('\n'),
  );
  const missing = lines.filter((line) => line.includes('not found'));
  if (missing.length > 0) throw new Error(missing.join('\n'));
  return [...new Set(lines.flatMap((line) => /^\s*(\S+) => /.exec(line)?.[1] ?? []))];
}

function checkSize({ added }: Image): void {
  const megabytes = sizeTable(added);
  for (const [name, size] of megabytes) log(`  ${size.toFixed(1).padStart(6)} MB  ${name}`);
  const total = megabytes.reduce((sum, [, size]) => sum + size, 0);
  log(`  ${total.toFixed(1).padStart(6)} MB  in all; the limit is ${SIZE_LIMIT_MB} MB`);
  if (total >= SIZE_LIMIT_MB) throw new Error('the image is too large');
  if (bytesOf(join(added, 'opt/signalbox')) === 0) throw new Error('the image has no programs');
}
