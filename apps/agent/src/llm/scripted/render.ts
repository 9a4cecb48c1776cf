import type { JsonObject } from '@signalbox/mcp-core';
import {
  type Expression,
  parseTemplate,
  pick,
  type Scope,
  type TemplatePart,
  valueText,
} from './template.ts';

export type RenderedInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Renders a text. A missing value becomes `(missing: …)`. */
export function renderText(template: string, scope: Scope): string {
  return partsOf(template)
    .map((part) => {
      if (typeof part === 'string') return part;
      const picked = pick(part, scope);
      return picked.found ? valueText(picked.value) : `(missing: ${part.source})`;
    })
    .join('');
}

/**
 * Renders the input of a tool call. A string with a single expression keeps the value's type; an
 * array element whose group took no part in the match is omitted. Any other missing value fails the
 * whole input.
 */
export function renderInput(input: JsonObject, scope: Scope): RenderedInput {
  const missing: string[] = [];
  const render = (value: unknown): unknown => {
    if (typeof value === 'string') return renderString(value, scope, missing);
    if (Array.isArray(value))
      return value.filter((element) => !isAbsentGroup(element, scope)).map(render);
    if (typeof value === 'object' && value !== null) return renderObject(value);
    return value;
  };
  const renderObject = (value: object): JsonObject =>
    Object.fromEntries(Object.entries(value).map(([key, element]) => [key, render(element)]));
  const rendered = renderObject(input);
  return missing.length === 0 ? { ok: true, input: rendered } : { ok: false, missing };
}

function renderString(template: string, scope: Scope, missing: string[]): unknown {
  const parts = partsOf(template);
  const values = parts.map((part) => {
    if (typeof part === 'string') return part;
    const picked = pick(part, scope);
    if (!picked.found) missing.push(part.source);
    return picked.found ? picked.value : undefined;
  });
  return values.length === 1 ? values[0] : values.map(valueText).join('');
}

function isAbsentGroup(element: unknown, scope: Scope): boolean {
  const expression = typeof element === 'string' ? soleExpression(element) : undefined;
  return expression?.root === 'group' && !pick(expression, scope).found;
}

function soleExpression(template: string): Expression | undefined {
  const [part, ...others] = partsOf(template);
  return typeof part === 'object' && others.length === 0 ? part : undefined;
}

function partsOf(template: string): readonly TemplatePart[] {
  const parsed = parseTemplate(template);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.parts;
}
