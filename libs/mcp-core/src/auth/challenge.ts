/** A challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** Lower case. */
  readonly scheme: string;
  /** Parameters with lower-case names; the first of equal ones. */
  readonly parameters: { readonly [name: string]: string };
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = new RegExp(
  `(?<name>${TOKEN})[ \\t]*=[ \\t]*(?:"(?<quoted>(?:[^"\\\\]|\\\\.)*)"|(?<plain>${TOKEN}))`,
  'uy',
);
const SCHEME = new RegExp(
  `(?<scheme>${TOKEN})(?=[ \\t,]|$)(?![ \\t]*=)(?:[ ]+(?<token68>[A-Za-z0-9._~+/-]+=*)(?=[ \\t]*(?:,|$)))?`,
  'uy',
);
const SEPARATORS = /[ \t,]*/uy;
const MAX_CHARACTERS = 16 * 1024;

/**
 * Parses the challenges of a `WWW-Authenticate` header, of which there may be several. Ends at text
 * that does not follow the grammar.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.6.1
 */
export function parseChallenges(header = ''): readonly Challenge[] {
  const text = header.slice(0, MAX_CHARACTERS);
  const challenges: { scheme: string; parameters: { [name: string]: string } }[] = [];
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (read(SEPARATORS); at < text.length; read(SEPARATORS)) {
    const current = challenges.at(-1);
    const parameter = current === undefined ? null : read(PARAMETER);
    if (parameter !== null && current !== undefined) {
      const { name = '', quoted, plain = '' } = parameter.groups ?? {};
      current.parameters[name.toLowerCase()] ??= quoted?.replaceAll(/\\(.)/gu, '$1') ?? plain;
      continue;
    }
    const scheme = read(SCHEME)?.groups?.['scheme'];
    if (scheme === undefined) break;
    challenges.push({ scheme: scheme.toLowerCase(), parameters: Object.create(null) as {} });
  }
  return challenges;
}

/** The challenges for OAuth tokens, as one. */
export interface TokenChallenge {
  /** Whether tokens that are bound to a key are accepted. */
  readonly isDpop: boolean;
  readonly parameters: { readonly [name: string]: string };
}

/**
 * Returns the challenge for OAuth tokens: the parameters of `DPoP` and of `Bearer`, of which `DPoP` is
 * preferred.
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-7.2
 */
export function tokenChallenge(header: string | undefined): TokenChallenge {
  const challenges = parseChallenges(header);
  const of = (scheme: string): Challenge | undefined =>
    challenges.find((challenge) => challenge.scheme === scheme);
  const dpop = of('dpop');
  const parameters = { ...of('bearer')?.parameters, ...dpop?.parameters };
  return { isDpop: dpop !== undefined, parameters };
}
