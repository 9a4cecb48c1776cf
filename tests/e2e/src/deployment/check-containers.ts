import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Container, type ContainerSettings, type Mount } from './container.ts';
import type { Image } from './image.ts';
import { portOf, readCompose, readManifests, type PodContainer } from './settings.ts';

interface Check {
  readonly image: Image;
  readonly folder: string;
  readonly log: (line: string) => void;
}

const PORT = 8020;
const TASK = 'Which customers bought most?';
/** Milliseconds within which a container ends after SIGTERM. */
const STOP_LIMIT_MS = 10_000;
const token = randomBytes(32).toString('hex');

/** Starts the services of both profiles of the Compose file. */
export async function checkComposeServices({
  image,
  deploy,
  folder,
  log,
}: Check & { readonly deploy: string }): Promise<void> {
  const { services } = readCompose(join(deploy, 'compose.yaml'));
  const data = (name: string): string => ownedFolder(join(folder, name), image, 0o700);
  const start = (name: string, container: string, dataFolder: string): Container => {
    const service = services[name];
    if (service === undefined) throw new Error(`compose.yaml has no service ${name}`);
    const settings: ContainerSettings = {
      name: container,
      // The demo servers have the data of the task.
      args: [...(service.command ?? []), '--demo'],
      env: { ...service.environment, SIGNALBOX_TOKEN: token },
      mounts: (service.volumes ?? [])
        .map((volume): Mount => {
          const [source = '', path = '', mode] = volume.split(':');
          const isBind = source.startsWith('.');
          return {
            path,
            source: isBind ? join(deploy, source) : dataFolder,
            isReadOnly: mode === 'ro',
          };
        })
        .concat((service.tmpfs ?? []).map((entry) => memoryAt(entry.split(':')[0] ?? ''))),
    };
    return new Container(image, settings, folder);
  };

  await checkRefusal(image, folder, log);

  const dataFolder = data('data-of-all');
  const all = start('all', 'all', dataFolder);
  await all.healthy();
  checkConfinement(all, image);
  checkToken(all);
  const id = runTask(all);
  checkCommands(all);
  backUp(all, '/data/copy.sqlite');
  await stop(all);
  log('compose, profile all: healthy, confined, one task over REST, a backup, SIGTERM');

  const restored = data('data-restored');
  renameSync(join(dataFolder, 'copy.sqlite'), join(restored, 'signalbox.sqlite'));
  const again = start('all', 'restored', restored);
  await again.healthy();
  const { status, body } = request(again, 'GET', `/v1/runs/${id}`);
  if (status !== 200 || body['status'] !== 'completed')
    throw new Error(`the backup has no completed run ${id}: ${status}`);
  await stop(again);
  log('the backup starts as a data directory, with the run in it');

  const shared = data('data-of-workers');
  const api = start('api', 'api', shared);
  await api.healthy();
  const workers = ['worker-1', 'worker-2'].map((name) => start('worker', name, shared));
  await Promise.all(workers.map((worker) => worker.healthy()));
  runTask(api);
  for (const each of [api, ...workers]) await stop(each);
  log('compose, profile workers: one API process and two workers share the data; a task, SIGTERM');
}

/** Starts the containers of the pod of a file of Kubernetes manifests, calls their probes, and runs a task. */
export async function checkManifests({
  image,
  file,
  folder,
  log,
}: Check & { readonly file: string }): Promise<void> {
  const { statefulSet, configMap } = readManifests(file);
  const { spec } = statefulSet.spec.template;
  // A volume belongs to root and to the group `fsGroup`.
  const volume = ownedFolder(join(folder, 'data'), image, 0o2775);
  chownSync(volume, 0, spec.securityContext.fsGroup);
  const secrets = ownedFolder(join(folder, 'secrets'), image, 0o755);
  writeFileSync(join(secrets, 'signalbox.env'), `SIGNALBOX_TOKEN=${token}\n`);
  const config = ownedFolder(join(folder, 'config'), image, 0o755);
  for (const [name, text] of Object.entries(configMap.data))
    writeFileSync(join(config, name), text);

  const sources = new Map<string, string | undefined>([['data', volume]]);
  for (const each of spec.volumes) {
    if (each.configMap !== undefined) sources.set(each.name, config);
    else if (each.secret !== undefined) sources.set(each.name, secrets);
    else sources.set(each.name, undefined);
  }
  const mountsOf = ({ volumeMounts }: PodContainer): readonly Mount[] =>
    volumeMounts.map(({ name, mountPath, readOnly = false }) => {
      if (!sources.has(name)) throw new Error(`${file}: there is no volume ${name}`);
      return { path: mountPath, source: sources.get(name), isReadOnly: readOnly };
    });

  const pod: Container[] = [];
  for (const container of spec.containers) {
    const env = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
    const settings = {
      name: container.name,
      args: [...container.args, '--demo'],
      env,
      mounts: mountsOf(container),
    };
    const started = new Container(image, settings, folder, pod[0]);
    pod.push(started);
    await probed(started, container);
  }
  const [first] = pod;
  if (first === undefined) throw new Error(`${file} has no container`);
  runTask(first);
  checkCommands(first);
  const grace = spec.terminationGracePeriodSeconds * 1000;
  for (const { code, ms } of await Promise.all(pod.map((each) => each.stop())))
    if (code !== 0 || ms > grace / 2) throw new Error(`ended with ${code} after ${ms} ms`);
  log(
    `${statefulSet.kind} of ${spec.containers.map(({ name }) => name).join(', ')}: probes, one task, SIGTERM`,
  );
}

async function probed(
  container: Container,
  { startupProbe, livenessProbe, readinessProbe, ...settings }: PodContainer,
): Promise<void> {
  await container.started();
  const limit = performance.now() + 30_000;
  for (const { httpGet } of [startupProbe, livenessProbe, readinessProbe]) {
    const port = portOf({ ...settings, startupProbe, livenessProbe, readinessProbe }, httpGet.port);
    while (request(container, 'GET', httpGet.path, { port, isAnonymous: true }).status !== 200)
      if (performance.now() > limit)
        throw new Error(`${container.name}: no answer to ${httpGet.path}\n${container.output}`);
  }
}

/** Checks that a container that other machines could reach does not start without a token. */
async function checkRefusal(image: Image, folder: string, log: Check['log']): Promise<void> {
  const settings = {
    name: 'without-token',
    args: image.config.cmd,
    env: {},
    mounts: [
      {
        path: '/data',
        source: ownedFolder(join(folder, 'data-none'), image, 0o700),
        isReadOnly: false,
      },
    ],
  };
  const container = new Container(image, settings, folder);
  const code = await container.ended;
  if (code !== 2 || !container.output.includes('SIGNALBOX_TOKEN'))
    throw new Error(`without a token it ended with ${code}: ${container.output}`);
  log('without SIGNALBOX_TOKEN the container ends with 2 and names the variable');
}

/** Checks the user, the capabilities and the file systems of the processes of a container. */
function checkConfinement(container: Container, image: Image): void {
  const [uid = ''] = image.config.user.split(':');
  const script = `cat /proc/1/comm; grep -hE '^(Uid|NoNewPrivs|CapEff|CapBnd)' /proc/[0-9]*/status | sort -u; touch /x /opt/x /files/x 2>&1; touch /data/x /tmp/x && rm /data/x /tmp/x && echo writable`;
  const { stdout } = container.run(['sh', '-c', script]);
  const lines = stdout.split('\n').map((line) => line.replaceAll('\t', ' '));
  const wanted = [
    'tini',
    `Uid: ${uid} ${uid} ${uid} ${uid}`,
    'NoNewPrivs: 1',
    'CapEff: 0000000000000000',
    'CapBnd: 0000000000000000',
    'writable',
  ];
  const missing = wanted.filter((line) => !lines.includes(line));
  const refused = lines.filter((line) => line.includes('Read-only file system')).length;
  if (
    missing.length > 0 ||
    refused !== 3 ||
    lines.filter((line) => line.startsWith('Uid')).length !== 1
  )
    throw new Error(`the container is not confined: ${missing.join(', ')}\n${stdout}`);
}

/** Checks that the service listens on every address and refuses requests without the token. */
function checkToken(container: Container): void {
  const anonymous = request(container, 'GET', '/v1/runs', { isAnonymous: true });
  if (anonymous.status !== 401) throw new Error(`without a token: ${anonymous.status}`);
}

/** Runs one task of the demo to its end, and returns the id of the run. */
function runTask(container: Container): string {
  const { status, body } = request(container, 'POST', '/v1/runs', { body: { prompt: TASK } });
  const answer = String(body['answer']);
  if (body['status'] !== 'completed' || !answer.includes('bought most'))
    throw new Error(`the task ended with ${status} ${JSON.stringify(body)}\n${container.output}`);
  return String(body['id']);
}

/** Checks that the commands for a running service work in its container, where they find the token. */
function checkCommands(container: Container): void {
  const { status, stdout, stderr } = container.run(['signalbox', 'servers']);
  if (status !== 0 || !/^sqlite +ready/m.test(stdout))
    throw new Error(`signalbox servers ended with ${status}: ${stdout}${stderr}`);
}

function backUp(container: Container, file: string): void {
  const { status, stderr } = container.run(['node', '/opt/signalbox/image/backup.mjs', file]);
  if (status !== 0) throw new Error(`the backup failed: ${stderr}`);
}

async function stop(container: Container): Promise<void> {
  const { code, ms } = await container.stop();
  if (code !== 0 || ms > STOP_LIMIT_MS)
    throw new Error(`${container.name} ended with ${code} after ${ms} ms: ${container.output}`);
}

/** Sends one request from inside the container, to an address that only a server on every address has. */
const REQUEST = `
const { port, method, path, headers, body } = JSON.parse(process.argv[1]);
const response = await fetch('http://127.0.0.2:' + port + path, { method, headers, body }).catch(() => undefined);
const text = await response?.text();
console.log(JSON.stringify({ status: response?.status ?? 0, body: text?.startsWith('{') ? JSON.parse(text) : {} }));
`;

interface RequestOptions {
  readonly body?: object;
  readonly port?: number;
  readonly isAnonymous?: boolean;
}

function request(
  container: Container,
  method: string,
  path: string,
  { body, port = PORT, isAnonymous = false }: RequestOptions = {},
): { readonly status: number; readonly body: { readonly [name: string]: unknown } } {
  const headers = {
    ...(isAnonymous ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json', prefer: 'wait=50' }),
  };
  const given = JSON.stringify({ port, method, path, headers, body: body && JSON.stringify(body) });
  const { stdout, stderr } = container.run(['node', '--input-type=module', '-e', REQUEST, given]);
  if (stdout === '') throw new Error(`${container.name} cannot be reached: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof request>;
}

const memoryAt = (path: string): Mount => ({ path, source: undefined, isReadOnly: false });

/** Creates a folder of the user of the image. */
function ownedFolder(path: string, image: Image, mode: number): string {
  const [uid = 0, gid = uid] = image.config.user.split(':').map(Number);
  mkdirSync(path, { recursive: true });
  chownSync(path, uid, gid);
  chmodSync(path, mode);
  return path;
}
