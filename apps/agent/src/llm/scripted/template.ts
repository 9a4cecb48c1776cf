/**
 * Expression in a template: `${1}` a group of the matched user text, `${result.<call>.<path>}` a
 * tool's result, `${error.<path>}` the newest failed call.
 */
export type Expression =
  | { readonly root: 'group'; readonly source: string; readonly group: number }
  | {
      readonly root: 'result';
      readonly source: string;
      readonly call: string;
      readonly path: readonly Segment[];
    }
  | { readonly root: 'error'; readonly source: string; readonly path: readonly Segment[] };

type Segment =
  | { readonly type: 'key'; readonly key: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'slice'; readonly from: number; readonly to: number }
  | { readonly type: 'each' };

export type TemplatePart = string | Expression;
export type ParsedTemplate =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  | { readonly ok: false; readonly problem: string };

/** Values that templates can refer to. */
export interface Scope {
  /** Groups of the match; 0 is the whole match. */
  readonly groups: readonly (string | undefined)[];
  readonly results: ReadonlyMap<string, unknown>;
  readonly error: unknown;
}

export type Picked = { readonly found: true; readonly value: unknown } | { readonly found: false };

/** Splits a template into literal text and expressions. */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(/\$\{([^}]*)\}/g)) {
    const source = match[1] ?? '';
    const expression = parseExpression(source);
    if (expression === undefined) {
      return {
        ok: false,
        problem: `cannot read \${${source}}: expected \${1}, \${result.<call>.<path>} or \${error.<path>} with .name, [0], [0:5] or [*]`,
      };
    }
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(expression);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return { ok: true, parts };
}

/** Resolves an expression. `found: false`: a step of its path does not exist. */
export function pick(expression: Expression, scope: Scope): Picked {
  switch (expression.root) {
    case 'group':
      return present(scope.groups[expression.group]);
    case 'result':
      return follow(scope.results.get(expression.call), expression.path);
    case 'error':
      return follow(scope.error, expression.path);
  }
}

/** Returns a value as text: lists joined with commas, objects as JSON. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.length === 0 ? '(none)' : value.map(valueText).join(', ');
}

function parseExpression(source: string): Expression | undefined {
  if (/^\d{1,2}$/.test(source)) return { root: 'group', source, group: Number(source) };
  const match =
    /^(?:result\.(?<call>[\w-]+)|error)(?<path>(?:\.[\w-]+|\[\d+\]|\[\d+:\d+\]|\[\*\])*)$/.exec(
      source,
    );
  if (match === null) return undefined;
  const call = match.groups?.['call'];
  const path = parsePath(match.groups?.['path'] ?? '');
  return call === undefined
    ? { root: 'error', source, path }
    : { root: 'result', source, call, path };
}

function parsePath(text: string): Segment[] {
  return [...text.matchAll(/\.([\w-]+)|\[(\d+)\]|\[(\d+):(\d+)\]|\[\*\]/g)].map(
    ([, key, index, from, to]) => {
      if (key !== undefined) return { type: 'key', key };
      if (index !== undefined) return { type: 'index', index: Number(index) };
      if (from !== undefined && to !== undefined)
        return { type: 'slice', from: Number(from), to: Number(to) };
      return { type: 'each' };
    },
  );
}

function follow(value: unknown, path: readonly Segment[]): Picked {
  const [segment, ...rest] = path;
  if (segment === undefined) return present(value);
  switch (segment.type) {
    case 'key':
      return follow(property(value, segment.key), rest);
    case 'index':
      return follow(Array.isArray(value) ? value[segment.index] : undefined, rest);
    case 'slice':
      return Array.isArray(value)
        ? followEach(value.slice(segment.from, segment.to), rest)
        : { found: false };
    case 'each':
      return Array.isArray(value) ? followEach(value, rest) : { found: false };
  }
}

function followEach(values: readonly unknown[], path: readonly Segment[]): Picked {
  const picked = values.map((value) => follow(value, path));
  const found = picked.flatMap((one) => (one.found ? [one.value] : []));
  return found.length === picked.length ? { found: true, value: found } : { found: false };
}

function property(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return key === 'length' ? value.length : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as { readonly [key: string]: unknown })[key]; // an own property of an object, whatever it is
}

function present(value: unknown): Picked {
  return value === undefined ? { found: false } : { found: true, value };
}
