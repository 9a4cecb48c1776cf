import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mountOverlay, type Image } from './image.ts';

/** A folder or a file of the machine that a container sees. */
export interface Mount {
  /** Path in the container. */
  readonly path: string;
  /** Path on the machine. Undefined: a file system in memory. */
  readonly source: string | undefined;
  readonly isReadOnly: boolean;
}

/** Settings of a container, as compose.yaml and the Kubernetes manifests give them. */
export interface ContainerSettings {
  readonly name: string;
  /** Arguments in place of the CMD of the image. */
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly mounts: readonly Mount[];
}

export interface CommandResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Milliseconds after which a command in a container is ended. */
const COMMAND_LIMIT_MS = 60_000;

/**
 * Starts processes from an image as a container runtime does: in their own mount, process and network namespaces, as the user of the image, without capabilities,
 * with a root file system that cannot be written to.
 */
export class Container {
  readonly #image: Image;
  readonly #settings: ContainerSettings;
  readonly #child: ChildProcess;
  #output = '';
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;

  /** `pod`: a process whose network the container shares. Default: a network of its own. */
  constructor(
    image: Image,
    settings: ContainerSettings,
    folder: string,
    pod?: { readonly pid: number },
  ) {
    this.#image = image;
    this.#settings = settings;
    const { root } = mountOverlay(join(folder, settings.name), [image.root]);
    const commands = [
      'set -e',
      ...(pod === undefined ? ['ip link set lo up'] : []),
      ...settings.mounts.flatMap((mount) => mountCommands(root, mount)),
      `mount --rbind /dev ${root}/dev`,
      `mount -t proc proc ${root}/proc`,
      `mount -o remount,ro ${root}`,
      'exec "$@"',
    ];
    const unshare = ['unshare', '--mount', '--pid', '--fork', '--kill-child'];
    const isolated =
      pod === undefined
        ? [...unshare, '--net']
        : ['nsenter', '--target', String(pod.pid), '--net', ...unshare];
    const { entrypoint } = image.config;
    const argv = ['chroot', root, ...this.#asUser([...entrypoint, ...settings.args])];
    const [program = '', ...args] = [...isolated, 'sh', '-c', commands.join('\n'), 'sh', ...argv];
    this.#child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: hostEnv() });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  /** Output of the container so far. */
  get output(): string {
    return this.#output;
  }

  get name(): string {
    return this.#settings.name;
  }

  /** Process id, on the machine, of process 1 of the container. @throws Error when the container has ended */
  get pid(): number {
    const pid = this.#pid();
    if (pid === undefined) throw new Error(`the container ${this.name} has ended: ${this.#output}`);
    return pid;
  }

  #pid(): number | undefined {
    // nsenter becomes unshare, so both forms have the one child that unshare forks.
    return childrenOf(this.#child.pid ?? 0)[0];
  }

  /** Runs a command in the container, as `docker exec` does. */
  run(argv: readonly string[]): CommandResult {
    const enter = ['--target', String(this.pid), '--mount', '--pid', '--net', '--root', '--wd'];
    return spawnSync('nsenter', [...enter, '--', ...this.#asUser(argv)], {
      encoding: 'utf8',
      env: hostEnv(),
      timeout: COMMAND_LIMIT_MS,
    });
  }

  /** Resolves when commands can run in the container. */
  started(): Promise<void> {
    return this.#succeeds(['true']);
  }

  /** Resolves when the health check of the image succeeds. */
  healthy(): Promise<void> {
    return this.#succeeds(this.#image.config.healthcheck);
  }

  /** Resolves when a command succeeds. @throws Error after a minute, or when the container ends */
  async #succeeds(argv: readonly string[]): Promise<void> {
    const limit = performance.now() + COMMAND_LIMIT_MS;
    let last = '';
    while (performance.now() < limit && this.#child.exitCode === null) {
      const result = this.#pid() === undefined ? undefined : this.run(argv);
      if (result?.status === 0) return;
      last = result?.stderr ?? '';
      await sleep(50);
    }
    throw new Error(`${this.name}: ${argv.join(' ')} did not succeed: ${last}\n${this.#output}`);
  }

  /** Sends SIGTERM and resolves with the exit code and the milliseconds until the end. */
  async stop(): Promise<{ readonly code: number | null; readonly ms: number }> {
    const startedAt = performance.now();
    process.kill(this.pid, 'SIGTERM');
    const code = await this.ended;
    return { code, ms: Math.round(performance.now() - startedAt) };
  }

  /** Wraps a command so that it runs as the user of the image, with the environment of the container and nothing else. */
  #asUser(argv: readonly string[]): readonly string[] {
    const { user, env, workdir } = this.#image.config;
    const [uid = '', gid = uid] = user.split(':');
    const variables = Object.entries({ ...env, ...this.#settings.env });
    return [
      'setpriv',
      `--reuid=${uid}`,
      `--regid=${gid}`,
      '--clear-groups',
      '--no-new-privs',
      '--bounding-set=-all',
      '--inh-caps=-all',
      'env',
      '-i',
      `--chdir=${workdir}`,
      ...variables.map(([name, value]) => `${name}=${value}`),
      ...argv,
    ];
  }
}

const hostEnv = (): { readonly PATH: string } => ({
  PATH: `/usr/sbin:/usr/bin:/sbin:/bin`,
});

function mountCommands(root: string, { path, source, isReadOnly }: Mount): readonly string[] {
  const target = `${root}${path}`;
  if (source === undefined)
    return [`mkdir -p ${target}`, `mount -t tmpfs -o mode=1777 tmpfs ${target}`];
  return [
    `if [ -d ${source} ]; then mkdir -p ${target}; else mkdir -p $(dirname ${target}); touch ${target}; fi`,
    `mount --bind ${source} ${target}`,
    ...(isReadOnly ? [`mount -o remount,bind,ro ${target}`] : []),
  ];
}

/** Returns the process ids of the children of a process. */
function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    // The process has ended.
    return [];
  }
}
