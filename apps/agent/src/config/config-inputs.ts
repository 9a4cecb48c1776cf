import * as z from 'zod';

const option = z.union([
  z.string(),
  z.looseObject({ value: z.string() }).transform(({ value }) => value),
]);

/** The `inputs` of VS Code: values that a configuration asks for, used as `${input:id}`. */
export const inputSchema = z.looseObject({
  id: z.string().min(1),
  type: z.string().optional(),
  description: z.string().optional(),
  password: z.boolean().optional(),
  default: z.string().optional(),
  options: z.array(option).optional(),
});

export type ConfigInput = z.infer<typeof inputSchema>;

/** The value of an input; a secret one is masked in logs and errors. */
export interface InputValue {
  readonly value: string;
  readonly isSecret: boolean;
}

export interface InputSources {
  /** From `--input id=value`. */
  readonly given: { readonly [id: string]: string };
  readonly env: { readonly [name: string]: string | undefined };
  /** Asks a person; undefined where nobody can be asked or nothing was typed. */
  readonly ask?: ((input: ConfigInput) => Promise<string | undefined>) | undefined;
}

/** Reads the member `inputs`; an entry that is no input is left out, so that only servers that need it are missing a value. */
export function readInputs(inputs: unknown): readonly ConfigInput[] {
  if (!Array.isArray(inputs)) return [];
  return inputs.flatMap((input) => {
    const checked = inputSchema.safeParse(input);
    return checked.success ? [checked.data] : [];
  });
}

/** Returns the environment variable that gives the value of an input: `SIGNALBOX_INPUT_` and the id in capitals. */
export function inputVariable(id: string): string {
  return `SIGNALBOX_INPUT_${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** Looks up the inputs that `text` refers to: `--input`, then the environment, then a person, then the default. */
export async function inputValues(
  text: string,
  declared: readonly ConfigInput[],
  sources: InputSources,
): Promise<ReadonlyMap<string, InputValue>> {
  const ids = new Set([...text.matchAll(/\$\{input:([^}]+)\}/g)].map(([, id = '']) => id));
  const values = new Map<string, InputValue>();
  for (const id of ids) {
    const input = declared.find((each) => each.id === id) ?? { id };
    const known = sources.given[id] ?? sources.env[inputVariable(id)];
    const value = known ?? (await sources.ask?.(input)) ?? input.default;
    if (value !== undefined) values.set(id, { value, isSecret: input.password === true });
  }
  return values;
}
