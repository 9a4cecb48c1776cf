/** Operators of RFC 6570 that can be read back from a URI: what a value begins with, what separates values, and what a value may hold. */
const OPERATORS: { readonly [operator: string]: { readonly prefix: string; readonly separator: string; readonly value: string } } = {
  '': { prefix: '', separator: ',', value: '[^/?#,]+' },
  '+': { prefix: '', separator: ',', value: '.+' },
  '#': { prefix: '#', separator: ',', value: '.+' },
  '.': { prefix: '.', separator: '.', value: '[^/?#.]+' },
  '/': { prefix: '/', separator: '/', value: '[^/?#]+' },
};

/**
 * A URI template of RFC 6570 levels 1 to 3, without `;`, read backwards: which values a URI was expanded from. Every variable has a value of one character
 * or more, but those of `{?…}` and `{&…}`, which may come in any order or be absent and must be the last in the template.
 */
export class UriTemplate {
  readonly template: string;
  /** In order of appearance. */
  readonly variables: readonly string[];
  readonly #path: RegExp;
  readonly #pathVariables: readonly string[];
  readonly #query: { readonly mark: string; readonly variables: readonly string[] } | undefined;

  /** @throws Error for a template that cannot be read back: modifiers, unknown operators, a variable that comes twice, a query that is not the last. */
  constructor(template: string) {
    const parts = template.split(/\{([^{}]*)\}/u);
    const query = /^([?&])(.*)$/u.exec(parts.at(-2) ?? '');
    const hasQuery = query !== null && parts.at(-1) === '';
    const expressions = (hasQuery ? parts.slice(0, -2) : parts).map((part, index) => (index % 2 === 0 ? literal(part, template) : readExpression(part, template)));
    this.template = template;
    this.#path = new RegExp(`^${expressions.map(({ source }) => source).join('')}$`, 'su');
    this.#pathVariables = expressions.flatMap(({ names }) => names);
    this.#query = hasQuery ? { mark: query[1] ?? '', variables: readNames(query[2] ?? '', template) } : undefined;
    this.variables = [...this.#pathVariables, ...(this.#query?.variables ?? [])];
    if (new Set(this.variables).size < this.variables.length) throw new Error(`A variable comes twice in the URI template ${template}`);
  }

  /** The decoded values, or `undefined` when the template cannot expand to the URI. */
  match(uri: string): { readonly [name: string]: string } | undefined {
    const [path, query] = this.#query === undefined ? [uri, ''] : splitAt(uri, this.#query.mark);
    const values = this.#path.exec(path)?.slice(1);
    if (values === undefined) return undefined;
    const found = this.#pathVariables.map((name, index) => [name, values[index] ?? ''] as const);
    const named = query === '' ? [] : query.split('&').map((pair) => splitAt(pair, '='));
    if (!named.every(([name], index) => this.#query?.variables.includes(name) === true && named.findIndex(([other]) => other === name) === index)) return undefined;
    try {
      return Object.fromEntries([...found, ...named].map(([name, value]) => [name, decodeURIComponent(value)]));
    } catch {
      return undefined;
    }
  }
}

interface Expression {
  readonly source: string;
  readonly names: readonly string[];
}

function literal(text: string, template: string): Expression {
  if (/[{}]/u.test(text)) throw new Error(`A brace is not closed in the URI template ${template}`);
  return { source: escaped(text), names: [] };
}

function readExpression(expression: string, template: string): Expression {
  const [, operator = '', list = ''] = /^([+#./]?)(.*)$/u.exec(expression) ?? [];
  const { prefix, separator, value } = OPERATORS[operator] ?? { prefix: '', separator: '', value: '' };
  const names = readNames(list, template);
  return { source: `${escaped(prefix)}${names.map(() => `(${value})`).join(escaped(separator))}`, names };
}

function readNames(list: string, template: string): readonly string[] {
  const names = list.split(',');
  if (names.every((name) => /^\w+(?:\.\w+)*$/u.test(name))) return names;
  throw new Error(`{${list}} in the URI template ${template} cannot be read back from a URI: only {a}, {+a}, {#a}, {.a}, {/a}, {?a} and {&a} can, without modifiers`);
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
}

function splitAt(text: string, mark: string): readonly [string, string] {
  const index = text.indexOf(mark);
  return index === -1 ? [text, ''] : [text.slice(0, index), text.slice(index + mark.length)];
}
