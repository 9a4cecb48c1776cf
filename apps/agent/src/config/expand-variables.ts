/** What expanding a text needed. */
export interface Expansion {
  readonly text: string;
  /** Values of variables whose names look like those of secrets. */
  readonly secrets: readonly string[];
  /** What cannot be expanded, each a clause that names the variable. */
  readonly problems: readonly string[];
}

const REFERENCE = /\$?\$\{([^}]*)\}?/g;
const NAMED = /^(?:env:)?([A-Za-z_]\w*)(?::-([^]*))?$/;
const SECRET_NAME = /key|token|secret|pass|credential|auth|dsn|ur[il]$/i;

/**
 * Replaces `${NAME}` (also written `${env:NAME}`) with the variable's value and `${NAME:-default}` with the default where the variable is unset
 * or empty. `$${` stands for a literal `${`.
 */
export function expandVariables(text: string, env: { readonly [name: string]: string | undefined }): Expansion {
  const secrets: string[] = [];
  const problems: string[] = [];
  const expanded = text.replace(REFERENCE, (reference: string, inner: string) => {
    if (reference.startsWith('$$')) return reference.slice(1);
    const [, name, fallback] = reference.endsWith('}') ? (NAMED.exec(inner) ?? []) : [];
    if (name === undefined) {
      problems.push(`\${${inner}} cannot be expanded; write \${NAME} or \${NAME:-default}, or $\${ for a literal \${`);
      return '';
    }
    const value = fallback === undefined ? env[name] : env[name] || fallback;
    if (value === undefined) {
      problems.push(`the environment variable ${name} is not set; set it, or write \${${name}:-default}`);
      return '';
    }
    if (SECRET_NAME.test(name)) secrets.push(value);
    return value;
  });
  return { text: expanded, secrets, problems };
}
