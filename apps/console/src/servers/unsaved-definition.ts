import { SECRET_MARK, type DefinitionDraft, type Pair } from './definition-draft.ts';

/** A draft of a definition that was not saved, as the tab keeps it: without values that can be secrets. */
export interface UnsavedDefinition {
  /** Entity tag of the definition that the draft changes; undefined for a new server. */
  readonly etag: string | undefined;
  /** Name of a new server. */
  readonly name: string;
  /** Fields of the draft that are kept. */
  readonly fields: Partial<DefinitionDraft>;
  /** Labels of the fields whose values were typed and are not kept. */
  readonly omitted: readonly string[];
}

/** A draft while a person edits it. */
interface EditedDefinition {
  readonly etag: string | undefined;
  readonly name: string;
  readonly draft: DefinitionDraft;
  /** Draft of the stored definition, or that of a new server. */
  readonly initial: DefinitionDraft;
}

/**
 * Returns the text under which the tab keeps a draft. Arguments, further settings, values of headers and of variables, and an address
 * that can contain a token are left out. An unchanged draft has the empty text.
 */
export function unsavedText({ etag, name, draft, initial }: EditedDefinition): string {
  if (name === '' && JSON.stringify(draft) === JSON.stringify(initial)) return '';
  const { url, headers, env, args, further, ...fields } = draft;
  const isRemote = draft.kind === 'remote';
  const omitted = [
    ...(isRemote && url !== initial.url && !isPlainUrl(url) ? ['Address'] : []),
    ...(isRemote ? omittedValues('header', headers, initial.headers) : []),
    ...(!isRemote && args !== '' && args !== initial.args ? ['Arguments'] : []),
    ...(isRemote ? [] : omittedValues('variable', env, initial.env)),
    ...(further !== '' && further !== initial.further ? ['Further settings'] : []),
  ];
  const unsaved: UnsavedDefinition = {
    etag,
    name,
    fields: {
      ...fields,
      ...(isPlainUrl(url) && { url }),
      ...(args === '' && { args }),
      ...(further === '' && { further }),
      headers: withoutSecrets(headers, initial.headers),
      env: withoutSecrets(env, initial.env),
    },
    omitted,
  };
  return JSON.stringify(unsaved);
}

/** Returns the draft of a text of `unsavedText`, or undefined for the empty text. */
export function readUnsaved(text: string): UnsavedDefinition | undefined {
  return text === '' ? undefined : (JSON.parse(text) as UnsavedDefinition);
}

function omittedValues(
  entry: string,
  pairs: readonly Pair[],
  initial: readonly Pair[],
): readonly string[] {
  return pairs.flatMap((pair, index) =>
    keptValue(pair, initial) === pair.value ? [] : [`Value of ${entry} ${index + 1}`],
  );
}

function withoutSecrets(pairs: readonly Pair[], initial: readonly Pair[]): readonly Pair[] {
  return pairs.map((pair) => ({ ...pair, value: keptValue(pair, initial) }));
}

/** A reference to a variable, also after an authentication scheme. A default value could be a secret. */
const REFERENCE = /^(?:(?:bearer|basic|token) )?\$\{(?:env:|input:)?[\w.-]+\}$/i;

/** Returns the value of a pair if it is no secret, or else the mark of the stored secret, or nothing. */
function keptValue({ id, value }: Pair, initial: readonly Pair[]): string {
  if (value === SECRET_MARK || REFERENCE.test(value)) return value;
  const isStored = initial.some((pair) => pair.id === id && pair.value === SECRET_MARK);
  return isStored && value !== '' ? SECRET_MARK : '';
}

/** An address without a user, a query and a fragment. */
const PLAIN_URL = /^(?:https?:\/\/)?[^/?#@:]*(?::\d*)?(?<path>(?:\/[^?#@]*)?)$/i;
/** A part of a path that is no token: a short one, or words. */
const PLAIN_SEGMENT = /^(?:.{0,11}|[a-z._-]+)$/;

function isPlainUrl(url: string): boolean {
  const path = PLAIN_URL.exec(url.trim())?.groups?.['path'];
  return path !== undefined && path.split('/').every((segment) => PLAIN_SEGMENT.test(segment));
}
