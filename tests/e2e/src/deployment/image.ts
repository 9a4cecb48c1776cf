import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { copyContext } from './build-context.ts';
import { configOf, type ImageConfig, type Instruction, type Stage } from './dockerfile.ts';

/** A built image. */
export interface Image {
  readonly config: ImageConfig;
  /** Root folder of the last stage, mounted. */
  readonly root: string;
  /** Folder with the files that the stage added to its base image or changed in it. */
  readonly added: string;
  /** Root folder of the base image. */
  readonly base: string;
}

export interface BuildOptions {
  readonly stages: readonly Stage[];
  /** Folder of the build context. */
  readonly context: string;
  readonly ignoreFile: string;
  /** New files of the build; on a file system that overlays can write to. */
  readonly folder: string;
  /** Root folder that stands for a base image. */
  readonly baseOf: (image: string) => string;
  /** Adds the files that a base image has and its stand-in lacks. */
  readonly prepareBase: (image: string, root: string) => void;
  readonly log: (line: string) => void;
}

/** Variables of this process that a build needs to reach its registries. */
const NETWORK = /^(?:https?_proxy|no_proxy|npm_config_(?:registry|cafile|.*proxy))$|_CA_/i;

/**
 * Executes the instructions of all stages, each in a root folder of its own: an overlay over the stand-in of its base image, entered with chroot.
 * Must run as root in a mount namespace of its own.
 * @throws Error for an instruction or a flag that it does not know, and for a command that fails
 */
export function buildImage(options: BuildOptions): Image {
  const built = new Map<string, Image>();
  let image: Image | undefined;
  for (const [index, stage] of options.stages.entries()) {
    image = new StageBuild(stage, join(options.folder, `stage-${index}`), options, built).run();
    if (stage.name !== undefined) built.set(stage.name, image);
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage');
  return image;
}

class StageBuild {
  readonly #stage: Stage;
  readonly #options: BuildOptions;
  readonly #built: ReadonlyMap<string, Image>;
  readonly #image: Image;
  readonly #env: Record<string, string> = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    DEBIAN_FRONTEND: 'noninteractive',
  };
  #workdir = '/';

  constructor(
    stage: Stage,
    folder: string,
    options: BuildOptions,
    built: ReadonlyMap<string, Image>,
  ) {
    this.#stage = stage;
    this.#options = options;
    this.#built = built;
    const base = options.baseOf(stage.image);
    this.#image = {
      config: configOf(stage),
      base,
      ...mountOverlay(folder, [base]),
    };
    options.prepareBase(stage.image, this.#image.root);
    for (const [name, value] of Object.entries(process.env))
      if (NETWORK.test(name) && value !== undefined) this.#env[name] = value;
  }

  run(): Image {
    const { root } = this.#image;
    for (const place of ['dev', 'proc'])
      command('mount', ['--rbind', `/${place}`, join(root, place)]);
    this.#options.log(`FROM ${this.#stage.image}`);
    for (const instruction of this.#stage.instructions) {
      const startedAt = performance.now();
      this.#execute(instruction);
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      this.#options.log(
        `  ${seconds.padStart(5)} s  ${instruction.name} ${instruction.text.slice(0, 90)}`,
      );
    }
    for (const place of ['dev', 'proc'])
      command('umount', ['--recursive', '--lazy', join(root, place)]);
    return this.#image;
  }

  #execute({ name, flags, text }: Instruction): void {
    const known: { readonly [instruction: string]: readonly string[] } = {
      COPY: ['from'],
      HEALTHCHECK: ['interval', 'timeout', 'start-period', 'start-interval', 'retries'],
    };
    const unknown = [...flags.keys()].filter((flag) => !(known[name] ?? []).includes(flag));
    if (unknown.length > 0)
      throw new Error(`${name}: no interpretation of --${unknown.join(', --')}`);
    switch (name) {
      case 'WORKDIR':
        this.#workdir = text;
        mkdirSync(join(this.#image.root, text), { recursive: true });
        return;
      case 'RUN':
        this.#runCommand(text);
        return;
      case 'COPY':
        this.#copy(text, flags.get('from'));
        return;
      case 'ENV':
        Object.assign(this.#env, this.#image.config.env);
        return;
      case 'USER':
      case 'VOLUME':
      case 'EXPOSE':
      case 'HEALTHCHECK':
      case 'ENTRYPOINT':
      case 'CMD':
        return;
      default:
        throw new Error(`no interpretation of ${name}`);
    }
  }

  #runCommand(text: string): void {
    const { root } = this.#image;
    const script = `cd ${this.#workdir} && ${text}`;
    const { status, stdout, stderr } = spawnSync('chroot', [root, '/bin/sh', '-ec', script], {
      env: this.#env,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
    });
    if (status !== 0) throw new Error(`RUN ${text} ended with ${status}\n${stdout}${stderr}`);
  }

  #copy(text: string, from: string | undefined): void {
    const [source = '', destination = '', ...more] = text.split(/\s+/);
    if (more.length > 0) throw new Error('COPY: only one source is interpreted');
    const target = join(
      this.#image.root,
      destination.startsWith('/') ? destination : join(this.#workdir, destination),
    );
    if (from === undefined) {
      if (source !== '.') throw new Error('COPY: of the build context only . is interpreted');
      copyContext(this.#options.context, this.#options.ignoreFile, target);
      return;
    }
    const other = this.#built.get(from);
    if (other === undefined) throw new Error(`COPY: there is no stage ${from} before this one`);
    const path = join(other.root, source);
    if (!existsSync(path)) throw new Error(`COPY: ${source} is not in the stage ${from}`);
    const isInto = destination.endsWith('/') && statSync(path).isFile();
    cpSync(path, isInto ? join(target, basename(source)) : target, {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    });
  }
}

/** Mounts an overlay over folders, the uppermost first. `added` receives every change. */
export function mountOverlay(
  folder: string,
  below: readonly string[],
): { readonly root: string; readonly added: string } {
  const [root, added, work] = ['root', 'added', 'work'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [root, added, work]) mkdirSync(each, { recursive: true });
  const layers = `lowerdir=${below.join(':')},upperdir=${added},workdir=${work}`;
  command('mount', ['-t', 'overlay', 'overlay', '-o', layers, root]);
  return { root, added };
}

/** Runs a program and returns its output. @throws Error with its output when it fails */
export function command(program: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}
