import { copyFileSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Container } from './container.ts';
import { parseDockerfile } from './dockerfile.ts';
import { buildImage, command, type BuildOptions } from './image.ts';

/** Arguments with which the container of a server starts. Its own data is in /data. */
const ARGS: { readonly [server: string]: readonly string[] } = {
  filesystem: ['/data'],
  sqlite: ['/data/shop.db'],
  weather: ['--demo'],
};
const PORT = 8030;

/** Run in the container: waits until the server answers over HTTP, and prints its name. */
const ASK = `
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'check', version: '1' } } });
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
for (let attempt = 0; ; attempt += 1)
  try {
    const text = await (await fetch('http://127.0.0.1:${PORT}/mcp', { method: 'POST', headers, body })).text();
    console.log(/"serverInfo":\\{[^}]*"name":"([^"]+)"/.exec(text)?.[1] ?? text);
    break;
  } catch (error) {
    if (attempt === 300) throw error;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }`;

export interface ServerImages extends Pick<BuildOptions, 'baseOf' | 'prepareBase' | 'log'> {
  readonly repository: string;
  /** New files of the check; on a file system that overlays can write to. */
  readonly folder: string;
}

/**
 * Builds the image of each server from its packed package and starts a container with a read-only root, in which the server must answer an `initialize`.
 * @throws Error for the first server that does not
 */
export async function checkServerImages({
  repository,
  folder,
  ...build
}: ServerImages): Promise<void> {
  for (const file of globSync('servers/*/Dockerfile', { cwd: repository }).toSorted()) {
    const server = dirname(file).replace(/.*\//, '');
    const context = join(folder, server, 'context');
    mkdirSync(context, { recursive: true });
    copyFileSync(join(repository, file), join(context, 'Dockerfile'));
    const source = join(repository, dirname(file));
    command('npm', ['pack', source, '--ignore-scripts', '--pack-destination', context]);
    const image = buildImage({
      ...build,
      stages: parseDockerfile(readFileSync(join(repository, file), 'utf8')),
      context,
      ignoreFile: join(source, '.dockerignore'),
      folder: join(folder, server, 'build'),
    });
    await checkServer(new Container(image, settingsOf(server), join(folder, server)), build.log);
  }
}

const settingsOf = (server: string) => ({
  name: server,
  args: ['--http', String(PORT), ...(ARGS[server] ?? [])],
  env: {},
  mounts: ['/data', '/tmp'].map((path) => ({ path, source: undefined, isReadOnly: false })),
});

async function checkServer(container: Container, log: (line: string) => void): Promise<void> {
  await container.started();
  const { stdout, stderr } = container.run(['node', '--input-type=module', '--eval', ASK]);
  const { code } = await container.stop();
  if (!stdout.includes(container.name) || code !== 0)
    throw new Error(`${container.name}: ${stdout}${stderr} (exit ${code})\n${container.output}`);
  log(`the image of ${stdout.trim()} answers in a container, and ends with 0 on SIGTERM`);
}
