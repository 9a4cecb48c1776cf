import type { ServerDefinition } from '@signalbox/client';

/** Mark that the service shows in place of a secret. Sent back, it keeps the secret. */
export const SECRET_MARK = '***';

/** A name with its value, such as a header. */
export interface Pair {
  /** Key of the row in the form. */
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

/** The values of the form of a server. */
export interface DefinitionDraft {
  /** `remote`: a server with an address; `command`: a program that the service starts. */
  readonly kind: 'remote' | 'command';
  readonly type: '' | 'http' | 'sse';
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly command: string;
  /** Arguments, one a line. */
  readonly args: string;
  readonly env: readonly Pair[];
  readonly cwd: string;
  readonly isTrusted: boolean;
  readonly approval: string;
  /** Patterns, one a line. */
  readonly allow: string;
  readonly deny: string;
  /** Folders, one a line. */
  readonly roots: string;
  /** JSON text of the settings without a field. */
  readonly further: string;
}

export const APPROVALS = ['default', 'auto', 'ask', 'deny'] as const;

/** The draft of a server that is added. */
export const EMPTY_DEFINITION: DefinitionDraft = {
  kind: 'remote',
  type: '',
  url: '',
  headers: [],
  command: '',
  args: '',
  env: [],
  cwd: '',
  isTrusted: false,
  approval: 'default',
  allow: '',
  deny: '',
  roots: '',
  further: '',
};

/** Returns the values of a stored definition. */
export function draftOf(definition: ServerDefinition): DefinitionDraft {
  const { type, url, headers, command, args, env, cwd, envFile, signalbox = {} } = definition;
  const { trust, approval, allow, deny, roots, ...rest } = signalbox;
  const further = {
    ...(envFile === undefined ? {} : { envFile }),
    ...(Object.keys(rest).length === 0 ? {} : { signalbox: rest }),
  };
  return {
    kind: url === undefined ? 'command' : 'remote',
    type: type === 'http' || type === 'sse' ? type : '',
    url: url ?? '',
    headers: pairsOf(headers),
    command: command ?? '',
    args: (args ?? []).join('\n'),
    env: pairsOf(env),
    cwd: cwd ?? '',
    isTrusted: trust === true,
    approval: approval ?? 'default',
    allow: (allow ?? []).join('\n'),
    deny: (deny ?? []).join('\n'),
    roots: (roots ?? []).join('\n'),
    further: Object.keys(further).length === 0 ? '' : JSON.stringify(further, undefined, 2),
  };
}

/** Returns the definition that a draft describes. @throws SyntaxError when the further settings are not a JSON object */
export function definitionOf(draft: DefinitionDraft): ServerDefinition {
  const { signalbox: rest = {}, ...others } = furtherOf(draft.further);
  const approval = APPROVALS.find((each) => each === draft.approval) ?? 'default';
  const lists = { allow: draft.allow, deny: draft.deny, roots: draft.roots };
  const signalbox = {
    ...rest,
    ...(draft.isTrusted && { trust: true }),
    ...(approval !== 'default' && { approval }),
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([name, text]) => {
        const lines = linesOf(text);
        return lines.length === 0 ? [] : [[name, lines]];
      }),
    ),
  };
  return {
    ...(draft.kind === 'remote' ? remotePart(draft) : commandPart(draft)),
    ...others,
    ...(Object.keys(signalbox).length > 0 && { signalbox }),
  };
}

function remotePart({ type, url, headers }: DefinitionDraft): ServerDefinition {
  return {
    ...(type !== '' && { type }),
    url: url.trim(),
    ...(headers.length > 0 && { headers: textsOf(headers) }),
  };
}

function commandPart({ command, args, env, cwd }: DefinitionDraft): ServerDefinition {
  // A line is an argument as it is: spaces at its ends can belong to it.
  const lines = args.split('\n').map((line) => line.replace(/\r$/, ''));
  const given = args === '' ? [] : lines;
  return {
    command: command.trim(),
    ...(given.length > 0 && { args: given }),
    ...(env.length > 0 && { env: textsOf(env) }),
    ...(cwd.trim() !== '' && { cwd: cwd.trim() }),
  };
}

function furtherOf(text: string): ServerDefinition {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new SyntaxError('must be an object in { }');
  // The service checks the members.
  return value as ServerDefinition;
}

function pairsOf(texts: { readonly [name: string]: string } = {}): readonly Pair[] {
  return Object.entries(texts).map(([name, value], id) => ({ id, name, value }));
}

function textsOf(pairs: readonly Pair[]): { [name: string]: string } {
  return Object.fromEntries(
    pairs.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value]),
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
