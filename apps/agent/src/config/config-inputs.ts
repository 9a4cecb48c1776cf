import * as z from 'zod';

const option = z.union([
  z.string(),
  z.looseObject({ value: z.string() }).transform(({ value }) => value),
]);

/**
 * An entry of VS Code's `inputs`: a value that the configuration asks for, used as `${input:id}`.
 */
export const inputSchema = z.looseObject({
  id: z.string().min(1),
  type: z.string().optional(),
  description: z.string().optional(),
  password: z.boolean().optional(),
  default: z.string().optional(),
  options: z.array(option).optional(),
});

export type ConfigInput = z.infer<typeof inputSchema>;

/** The value of an input. A secret value is masked in logs and errors. */
export interface InputValue {
  readonly value: string;
  readonly isSecret: boolean;
}

export interface InputSources {
  /** Values from `--input id=value`. */
  readonly given: { readonly [id: string]: string };
  readonly env: { readonly [name: string]: string | undefined };
  /**
   * Prompts the user for a value. Resolves with `undefined` without a terminal or without input.
   */
  readonly ask?: ((input: ConfigInput) => Promise<string | undefined>) | undefined;
}

/**
 * Parses the member `inputs`. Invalid entries are omitted, so that only the servers which need them
 * lack a value.
 */
export function readInputs(inputs: unknown): readonly ConfigInput[] {
  if (!Array.isArray(inputs)) return [];
  return inputs.flatMap((input) => {
    const checked = inputSchema.safeParse(input);
    return checked.success ? [checked.data] : [];
  });
}

/** Returns the environment variable of an input: `SIGNALBOX_INPUT_` and the id in upper case. */
export function inputVariable(id: string): string {
  return `SIGNALBOX_INPUT_${id.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/**
 * Returns the inputs that `text` refers to, from `--input`, the environment, a person, or the
 * default, in this order.
 */
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
