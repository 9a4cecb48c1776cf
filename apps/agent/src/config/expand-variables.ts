import { inputVariable, type InputValue } from './config-inputs.ts';

/** Values of the references in a configuration. */
export interface Variables {
  readonly env: { readonly [name: string]: string | undefined };
  /** Values for `${input:id}`. */
  readonly inputs?: ReadonlyMap<string, InputValue>;
  /**
   * Names that hosts define, such as `workspaceFolder`. They take precedence over the environment.
   */
  readonly predefined?: { readonly [name: string]: string };
}

/** A text with its references expanded. */
export interface Expansion {
  readonly text: string;
  /** Values of password inputs, and of variables with secret-looking names. */
  readonly secrets: readonly string[];
  /** References that cannot be expanded, each as a clause that names the variable. */
  readonly problems: readonly string[];
}

const REFERENCE = /\$?\$\{([^}]*)\}?/g;
const NAMED = /^(?:env:)?([A-Za-z_]\w*)(?::-([^]*))?$/;
const INPUT = /^input:([^]+)$/;
const SECRET_NAME = /key|token|secret|pass|credential|auth|dsn|ur[il]$/i;

interface Lookup {
  readonly value: string;
  readonly isSecret: boolean;
}

/**
 * Replaces `${NAME}` (also written `${env:NAME}`) with the variable's value, `${NAME:-default}` with the default where the
 * variable is unset or empty, and `${input:id}` with the value of an input. `$${` stands for a literal `${`.
 */
export function expandVariables(text: string, variables: Variables): Expansion {
  const secrets: string[] = [];
  const problems: string[] = [];
  const expanded = text.replace(REFERENCE, (reference: string, inner: string) => {
    if (reference.startsWith('$$')) return reference.slice(1);
    const found = reference.endsWith('}') ? lookUp(inner, variables) : unknownForm(inner);
    if (typeof found === 'string') {
      problems.push(found);
      return '';
    }
    if (found.isSecret) secrets.push(found.value);
    return found.value;
  });
  return { text: expanded, secrets, problems };
}

/** Returns the value, or the problem. */
function lookUp(inner: string, { env, inputs, predefined = {} }: Variables): Lookup | string {
  const [, id] = INPUT.exec(inner) ?? [];
  if (id !== undefined) {
    return (
      inputs?.get(id) ??
      `the input "${id}" has no value; give it with --input ${id}=VALUE or in the environment variable ${inputVariable(id)}`
    );
  }
  const own = Object.hasOwn(predefined, inner) ? predefined[inner] : undefined;
  if (own !== undefined) return { value: own, isSecret: false };
  const [, name, fallback] = NAMED.exec(inner) ?? [];
  if (name === undefined) return unknownForm(inner);
  const value = fallback === undefined ? env[name] : env[name] || fallback;
  if (value === undefined)
    return `the environment variable ${name} is not set; set it, or write \${${name}:-default}`;
  return { value, isSecret: SECRET_NAME.test(name) };
}

function unknownForm(inner: string): string {
  return `\${${inner}} cannot be expanded; write \${NAME} or \${NAME:-default}, or $\${ for a literal \${`;
}
