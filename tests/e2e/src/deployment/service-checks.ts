import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import type { Container, ContainerSettings } from './container.ts';
import type { Image } from './image.ts';

/** Parts that every check of containers gets. */
export interface Check {
  readonly image: Image;
  /** Folder for the files of the check. */
  readonly folder: string;
  readonly log: (line: string) => void;
}

/** Port of the service in its container. */
export const PORT = 8020;
const TASK = 'Which customers bought most?';
/** Milliseconds within which a container ends after SIGTERM. */
const STOP_LIMIT_MS = 10_000;

/** Token of every service that the checks start. */
export const token = randomBytes(32).toString('hex');

/** Checks the user, the capabilities and the file systems of the processes of a container. */
export function checkConfinement(container: Container, image: Image): void {
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

/** Checks that process 1 collects a process whose parent has ended. */
export function checkOrphans(container: Container): void {
  const script = `(sleep 0.1 &); sleep 0.5; grep -hE '^State:.Z' /proc/[0-9]*/status`;
  const { stdout } = container.run(['sh', '-c', script]);
  if (stdout !== '') throw new Error(`a process that ended is left: ${stdout}`);
}

/** Checks that the service listens on every address and refuses requests without the token. */
export function checkToken(container: Container): void {
  const anonymous = request(container, 'GET', '/v1/runs', { isAnonymous: true });
  if (anonymous.status !== 401) throw new Error(`without a token: ${anonymous.status}`);
}

/** Runs one task of the demo to its end, and returns the id of the run. */
export function runTask(container: Container): string {
  const { status, body } = request(container, 'POST', '/v1/runs', { body: { prompt: TASK } });
  const answer = String(body['answer']);
  if (body['status'] !== 'completed' || !answer.includes('bought most'))
    throw new Error(`the task ended with ${status} ${JSON.stringify(body)}\n${container.output}`);
  return String(body['id']);
}

/** Checks that the commands for a running service work in its container, where they find the token. */
export function checkCommands(container: Container): void {
  const { status, stdout, stderr } = container.run(['signalbox', 'servers']);
  if (status !== 0 || !/^sqlite +ready/m.test(stdout))
    throw new Error(`signalbox servers ended with ${status}: ${stdout}${stderr}`);
}

/** Writes a backup of the database with the program of the image. */
export function backUp(container: Container, file: string): void {
  const { status, stderr } = container.run(['node', '/opt/signalbox/image/backup.mjs', file]);
  if (status !== 0) throw new Error(`the backup failed: ${stderr}`);
}

/** Sends SIGTERM and checks that the container ends in time, with 0. */
export async function stop(container: Container): Promise<void> {
  const { code, ms } = await container.stop();
  if (code !== 0 || ms > STOP_LIMIT_MS)
    throw new Error(`${container.name} ended with ${code} after ${ms} ms: ${container.output}`);
}

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

/** Sends one request from inside the container, to an address that only a server on every address has. */
export function request(
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

/** Creates a folder of the user of the image. */
export function ownedFolder(path: string, image: Image, mode: number): string {
  const [uid = 0, gid = uid] = image.config.user.split(':').map(Number);
  mkdirSync(path, { recursive: true });
  chownSync(path, uid, gid);
  chmodSync(path, mode);
  return path;
}

/** Returns settings with another port: processes that share a network cannot have the same. */
export function withPort(settings: ContainerSettings, port: number): ContainerSettings {
  return {
    ...settings,
    args: settings.args.map((arg, index, all) =>
      all[index - 1] === '--port' ? String(port) : arg,
    ),
    env: { ...settings.env, SIGNALBOX_PORT: String(port) },
  };
}
