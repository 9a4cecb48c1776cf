import { MAX_URI_CHARACTERS } from './errors.ts';

/**
 * Operators of RFC 6570 that can be matched: the prefix of a value, the separator of values, and
 * the characters that values cannot contain.
 */
const OPERATORS: {
  readonly [operator: string]: {
    readonly prefix: string;
    readonly separator: string;
    readonly excluded: string;
  };
} = {
  '': { prefix: '', separator: ',', excluded: '/?#,' },
  '+': { prefix: '', separator: ',', excluded: '' },
  '#': { prefix: '#', separator: ',', excluded: '' },
  '.': { prefix: '.', separator: '.', excluded: '/?#.' },
  '/': { prefix: '/', separator: '/', excluded: '/?#' },
};

/** Part of a template: fixed text, or a value of at least one character. */
type Part = { readonly text: string } | { readonly name: string; readonly excluded: string };

/**
 * Matches URIs against a template of RFC 6570 levels 1 to 3, without `;`, and returns the values of
 * its variables. Each value has at least one character. Variables of `{?…}` and `{&…}` may be
 * absent or in any order, and must be last in the template.
 */
export class UriTemplate {
  readonly template: string;
  /** In order of appearance. */
  readonly variables: readonly string[];
  readonly #path: readonly Part[];
  readonly #pathVariables: readonly string[];
  readonly #query: { readonly mark: string; readonly variables: readonly string[] } | undefined;

  /**
   * @throws Error for a template that cannot be matched: modifiers, unknown operators, a repeated
   * variable, or a query that is not last.
   */
  constructor(template: string) {
    const parts = template.split(/\{([^{}]*)\}/u);
    const query = /^([?&])(.*)$/u.exec(parts.at(-2) ?? '');
    const hasQuery = query !== null && parts.at(-1) === '';
    this.template = template;
    this.#path = (hasQuery ? parts.slice(0, -2) : parts)
      .flatMap((part, index) =>
        index % 2 === 0 ? literal(part, template) : readExpression(part, template),
      )
      .filter(isNotEmpty);
    this.#pathVariables = this.#path.flatMap((part) => ('name' in part ? [part.name] : []));
    this.#query = hasQuery
      ? { mark: query[1] ?? '', variables: readNames(query[2] ?? '', template) }
      : undefined;
    this.variables = [...this.#pathVariables, ...(this.#query?.variables ?? [])];
    if (new Set(this.variables).size < this.variables.length)
      throw new Error(`A variable is repeated in the URI template ${template}`);
  }

  /**
   * Returns the decoded values, or `undefined` when the template does not match or the URI has more
   * than 8192 characters.
   */
  match(uri: string): { readonly [name: string]: string } | undefined {
    if (uri.length > MAX_URI_CHARACTERS) return undefined;
    const [path, query] = this.#query === undefined ? [uri, ''] : splitAt(uri, this.#query.mark);
    const values = valuesIn(path, this.#path);
    if (values === undefined) return undefined;
    const found = this.#pathVariables.map((name, index) => [name, values[index] ?? ''] as const);
    const named = query === '' ? [] : query.split('&').map((pair) => splitAt(pair, '='));
    if (
      !named.every(
        ([name], index) =>
          this.#query?.variables.includes(name) === true &&
          named.findIndex(([other]) => other === name) === index,
      )
    )
      return undefined;
    try {
      return Object.fromEntries(
        [...found, ...named].map(([name, value]) => [name, decodeURIComponent(value)]),
      );
    } catch {
      return undefined;
    }
  }
}

function literal(text: string, template: string): readonly Part[] {
  if (/[{}]/u.test(text)) throw new Error(`A brace is not closed in the URI template ${template}`);
  return [{ text }];
}

function readExpression(expression: string, template: string): readonly Part[] {
  const [, operator = '', list = ''] = /^([+#./]?)(.*)$/u.exec(expression) ?? [];
  const { prefix, separator, excluded } = OPERATORS[operator] ?? {
    prefix: '',
    separator: '',
    excluded: '',
  };
  return readNames(list, template).flatMap((name, index) => [
    { text: index === 0 ? prefix : separator },
    { name, excluded },
  ]);
}

function readNames(list: string, template: string): readonly string[] {
  const names = list.split(',');
  if (names.every((name) => /^\w+(?:\.\w+)*$/u.test(name))) return names;
  throw new Error(
    `{${list}} in the URI template ${template} cannot be read back from a URI: only {a}, {+a}, {#a}, {.a}, {/a}, {?a} and {&a} can, without modifiers`,
  );
}

function isNotEmpty(part: Part): boolean {
  return 'name' in part || part.text !== '';
}

/**
 * Returns the values of the variables, each as long as possible, earlier variables first. Takes
 * time proportional to the URI, unlike a regular expression, which would backtrack.
 */
function valuesIn(uri: string, parts: readonly Part[]): readonly string[] | undefined {
  const [first] = parts;
  if (first !== undefined && 'text' in first && !uri.startsWith(first.text)) return undefined;
  const ends: Int32Array[] = [];
  let next = new Int32Array(uri.length + 1).fill(-1);
  next[uri.length] = uri.length;
  for (const part of parts.toReversed()) {
    next =
      'text' in part ? endsOfText(uri, part.text, next) : endsOfValue(uri, part.excluded, next);
    ends.unshift(next);
  }
  if (next[0] === -1) return undefined;
  let start = 0;
  return parts.flatMap((part, index) => {
    const from = start;
    start = ends[index]?.[from] ?? from;
    return 'text' in part ? [] : [uri.slice(from, start)];
  });
}

/** Maps each start to the end of the text, if the rest of the URI matches; otherwise to -1. */
function endsOfText(
  uri: string,
  text: string,
  next: Int32Array<ArrayBuffer>,
): Int32Array<ArrayBuffer> {
  return next.map((_end, start) =>
    (next[start + text.length] ?? -1) !== -1 && uri.startsWith(text, start)
      ? start + text.length
      : -1,
  );
}

/**
 * Maps each start to the end of the longest value, if the rest of the URI matches; otherwise to -1.
 */
function endsOfValue(
  uri: string,
  excluded: string,
  next: Int32Array<ArrayBuffer>,
): Int32Array<ArrayBuffer> {
  const ends = new Int32Array(next.length).fill(-1);
  for (let start = uri.length - 1; start >= 0; start -= 1) {
    if (excluded.includes(uri.charAt(start))) continue;
    const longer = ends[start + 1] ?? -1;
    ends[start] = longer === -1 && next[start + 1] !== -1 ? start + 1 : longer;
  }
  return ends;
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const index = text.indexOf(mark);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + mark.length)];
}
