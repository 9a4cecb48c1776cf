/** An instruction of a Dockerfile. */
export interface Instruction {
  /** Name in capitals. */
  readonly name: string;
  /** Values of the flags in front of the arguments, such as `from` of `--from=build`. */
  readonly flags: ReadonlyMap<string, string>;
  /** Arguments, on one line. */
  readonly text: string;
}

/** The instructions between a FROM and the next one. */
export interface Stage {
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
}

/** Configuration of an image, which its containers start with. */
export interface ImageConfig {
  readonly env: { readonly [name: string]: string };
  readonly user: string;
  readonly workdir: string;
  readonly volumes: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  /** Command of the health check. */
  readonly healthcheck: readonly string[];
}

/**
 * Parses the part of the Dockerfile language that our file uses: comments, continued lines, flags, global ARGs, and variables in FROM.
 * @throws Error for an instruction before the first FROM that is not ARG
 */
export function parseDockerfile(text: string): readonly Stage[] {
  const stages: (Stage & { readonly instructions: Instruction[] })[] = [];
  const globals = new Map<string, string>();
  for (const instruction of instructionsOf(text)) {
    const stage = stages.at(-1);
    if (instruction.name === 'FROM') {
      const [image = '', , name] = expand(instruction.text, globals).split(/\s+/);
      stages.push({ image, name, instructions: [] });
    } else if (stage !== undefined) stage.instructions.push(instruction);
    else if (instruction.name === 'ARG') {
      const [name = '', value = ''] = instruction.text.split('=');
      globals.set(name, value);
    } else throw new Error(`${instruction.name} comes before the first FROM`);
  }
  return stages;
}

function instructionsOf(text: string): readonly Instruction[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', flags = '', rest = ''] =
        /^(\w+)\s+((?:--[\w-]+(?:=\S+)?\s+)*)(.*)$/.exec(line) ?? [];
      return {
        name: name.toUpperCase(),
        flags: new Map(
          [...flags.matchAll(/--([\w-]+)(?:=(\S+))?/g)].map(([, flag = '', value = '']) => [
            flag,
            value,
          ]),
        ),
        text: rest,
      };
    });
}

function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`FROM uses ${name}, which no ARG sets`);
    return value;
  });
}

/** Returns the configuration that the instructions of a stage give to its image. */
export function configOf({ instructions }: Stage): ImageConfig {
  const texts = (name: string): readonly string[] =>
    instructions.filter((each) => each.name === name).map(({ text }) => text);
  const last = (name: string): string | undefined => texts(name).at(-1);
  return {
    env: Object.assign({}, ...texts('ENV').map((text) => variablesOf(text))) as ImageConfig['env'],
    user: last('USER') ?? 'root',
    workdir: last('WORKDIR') ?? '/',
    volumes: texts('VOLUME'),
    entrypoint: execForm(last('ENTRYPOINT')),
    cmd: execForm(last('CMD')),
    healthcheck: execForm(last('HEALTHCHECK')?.replace(/^CMD\s+/, '')),
  };
}

/** Parses the exec form, a JSON array. @throws Error for the shell form, whose shell would receive the signals */
function execForm(text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  if (!text.startsWith('[')) throw new Error(`${text} is in the shell form; write a JSON array`);
  return JSON.parse(text) as readonly string[];
}

function variablesOf(text: string): { readonly [name: string]: string } {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)=(\S*)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}
