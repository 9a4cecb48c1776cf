import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Container, type ContainerSettings, type Mount } from './container.ts';
import type { Engines } from './engines.ts';
import {
  backUp,
  checkCommands,
  checkConfinement,
  checkOrphans,
  checkToken,
  ownedFolder,
  PORT,
  request,
  runTask,
  stop,
  token,
  withPort,
  type Check,
} from './service-checks.ts';
import { readCompose, type ComposeService } from './settings.ts';

interface ComposeCheck extends Check {
  /** Folder of compose.yaml. */
  readonly deploy: string;
  readonly engines: Engines | undefined;
}

/** Starts the services of all profiles of the Compose file. */
export async function checkCompose(check: ComposeCheck): Promise<void> {
  await checkRefusal(check);
  await checkAll(check);
  await checkWorkers(check);
  await checkEngines(check);
}

/** Checks that a container that other machines could reach does not start without a token. */
async function checkRefusal({ image, folder, log }: Check): Promise<void> {
  const data = ownedFolder(join(folder, 'data-none'), image, 0o700);
  const settings = {
    name: 'without-token',
    args: image.config.cmd,
    env: {},
    mounts: [{ path: '/data', source: data, isReadOnly: false }],
  };
  const container = new Container(image, settings, folder);
  const code = await container.ended;
  if (code !== 2 || !container.output.includes('SIGNALBOX_TOKEN'))
    throw new Error(`without a token it ended with ${code}: ${container.output}`);
  const secrets = join(folder, 'unreadable.env');
  writeFileSync(secrets, `SIGNALBOX_TOKEN=${token}\n`, { mode: 0o600 });
  const mount = { path: '/run/secrets/signalbox.env', source: secrets, isReadOnly: true };
  const unreadable = new Container(
    image,
    { ...settings, name: 'unreadable', mounts: [...settings.mounts, mount] },
    folder,
  );
  if ((await unreadable.ended) !== 2 || !unreadable.output.includes('may not read'))
    throw new Error(`with unreadable secrets it ended otherwise: ${unreadable.output}`);
  log(
    'without SIGNALBOX_TOKEN the container ends with 2 and names the variable; so it does with secrets that it may not read',
  );
}

async function checkAll(check: ComposeCheck): Promise<void> {
  const { image, folder, log } = check;
  const data = ownedFolder(join(folder, 'data-of-all'), image, 0o700);
  const all = new Container(image, settingsOf(check, 'all', data), folder);
  await all.healthy();
  checkOrphans(all);
  checkConfinement(all, image);
  checkToken(all);
  const id = runTask(all);
  checkCommands(all);
  backUp(all, '/data/copy.sqlite');
  await stop(all);
  log('compose, profile all: healthy, confined, one task over REST, a backup, SIGTERM');

  const restored = ownedFolder(join(folder, 'data-restored'), image, 0o700);
  renameSync(join(data, 'copy.sqlite'), join(restored, 'signalbox.sqlite'));
  const settings = { ...settingsOf(check, 'all', restored), name: 'restored' };
  const again = new Container(image, settings, folder);
  await again.healthy();
  const { status, body } = request(again, 'GET', `/v1/runs/${id}`);
  if (status !== 200 || body['status'] !== 'completed')
    throw new Error(`the backup has no completed run ${id}: ${status}`);
  await stop(again);
  log('the backup starts as a data directory, with the run in it');
}

async function checkWorkers(check: ComposeCheck): Promise<void> {
  const { image, folder, log } = check;
  const data = ownedFolder(join(folder, 'data-of-workers'), image, 0o700);
  const start = (service: string, name: string): Container =>
    new Container(image, { ...settingsOf(check, service, data), name }, folder);
  const api = start('api', 'api');
  await api.healthy();
  const workers = ['worker-1', 'worker-2'].map((name) => start('worker', name));
  await Promise.all(workers.map((worker) => worker.healthy()));
  runTask(api);
  await Promise.all([api, ...workers].map((each) => stop(each)));
  log('compose, profile workers: one API process and two workers share the data; a task, SIGTERM');
}

async function checkEngines(check: ComposeCheck): Promise<void> {
  const { image, folder, engines, log } = check;
  if (engines === undefined) {
    log('compose, profile engines: NOT CHECKED, PostgreSQL or Redis is not installed');
    return;
  }
  const start = (service: string, name: string, port: number): Container => {
    const settings = settingsOf(check, service, undefined);
    // The addresses of compose.yaml are names that its network resolves.
    const env = { ...settings.env, ...engines.env };
    return new Container(image, withPort({ ...settings, name, env }, port), folder, engines);
  };
  const api = start('engines-api', 'engines-api', PORT);
  await api.healthy();
  const workers = [1, 2].map((number) =>
    start('engines-worker', `engines-worker-${number}`, PORT + number),
  );
  await Promise.all(workers.map((worker) => worker.healthy()));
  runTask(api);
  checkEnginesAreUsed(api);
  await Promise.all([api, ...workers].map((each) => stop(each)));
  log(
    'compose, profile engines: one API process and two workers on PostgreSQL and Redis; a task, SIGTERM',
  );
}

/** Checks that the jobs are in Redis and that no database was created in the data directory. */
function checkEnginesAreUsed(container: Container): void {
  const { body } = request(container, 'GET', '/readyz');
  const { stdout } = container.run(['ls', '/data']);
  if (body['redis'] !== 'ready' || stdout.includes('signalbox.sqlite'))
    throw new Error(`PostgreSQL or Redis is not used: ${JSON.stringify(body)} ${stdout}`);
}

/** Returns the settings of a service of compose.yaml, with the demo servers, which have the data of the task. */
function settingsOf(
  { deploy }: ComposeCheck,
  name: string,
  data: string | undefined,
): ContainerSettings {
  const service: ComposeService | undefined = readCompose(join(deploy, 'compose.yaml')).services[
    name
  ];
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}`);
  const bound = (service.volumes ?? []).map((volume): Mount => {
    const [source = '', path = '', mode] = volume.split(':');
    const isBind = source.startsWith('.');
    return { path, source: isBind ? join(deploy, source) : data, isReadOnly: mode === 'ro' };
  });
  const inMemory = (service.tmpfs ?? []).map((entry): Mount => {
    const [path = ''] = entry.split(':');
    return { path, source: undefined, isReadOnly: false };
  });
  return {
    name,
    args: [...(service.command ?? []), '--demo'],
    env: { ...service.environment, SIGNALBOX_TOKEN: token },
    mounts: [...bound, ...inMemory],
  };
}
