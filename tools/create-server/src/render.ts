import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Values of the expressions in a template. */
export interface TemplateValues {
  readonly [name: string]: string;
}

const SUFFIX = '.template';
const EXPRESSION = /<%[-=] (?:JSON\.stringify\((\w+)\)|(\w+)) %>/g;

/**
 * Writes the files of a template folder. A name loses `.template`, `__x__` in it is replaced by the value of x, and so are `<%= x %>`, `<%- x %>` and
 * `<%- JSON.stringify(x) %>` in the text.
 * @throws Error for an expression without a value
 */
export function renderFolder(source: string, target: string, values: TemplateValues): void {
  for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    const from = join(source, path);
    if (statSync(from).isDirectory()) continue;
    const to = join(target, renderName(path, values));
    mkdirSync(dirname(to), { recursive: true });
    if (!path.endsWith(SUFFIX)) cpSync(from, to);
    else writeFileSync(to, renderText(readFileSync(from, 'utf8'), values));
  }
}

function renderName(path: string, values: TemplateValues): string {
  return path
    .replace(/\.template$/, '')
    .replaceAll(/__(\w+?)__/g, (_, name: string) => valueOf(name, values));
}

/** Returns a text with the values in place of the expressions. */
export function renderText(text: string, values: TemplateValues): string {
  return text.replaceAll(EXPRESSION, (_, quoted: string | undefined, plain: string | undefined) =>
    quoted === undefined ? valueOf(plain ?? '', values) : JSON.stringify(valueOf(quoted, values)),
  );
}

function valueOf(name: string, values: TemplateValues): string {
  const value = values[name];
  if (value === undefined) throw new Error(`the template uses ${name}, which has no value`);
  return value;
}
