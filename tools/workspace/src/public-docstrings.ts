import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const RE_EXPORT = /^export (?:type )?\{([^}]*)\} from ['"](\.[^'"]+)['"]/gm;
const DECLARATION =
  /(\*\/\n)?^export (?:declare )?(?:abstract )?(?:class|const|function|interface|let|type) (\w+)/gm;

/** Returns the symbols that a declaration file exports without a docstring, each as `file: symbol`. */
export function undocumentedExports(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const reExported = [...text.matchAll(RE_EXPORT)].flatMap(([, names = '', path = '']) => {
    const source = fileOf(path, file);
    return names
      .split(',')
      .map((name) =>
        name
          .replace(/^\s*(?:type )?/, '')
          .replace(/ as .*/s, '')
          .trim(),
      )
      .filter((name) => name !== '' && !isDocumented(source, name))
      .map((name) => `${source}: ${name}`);
  });
  const own = declarationsOf(text).filter(({ hasDocstring }) => !hasDocstring);
  return [...reExported, ...own.map(({ name }) => `${file}: ${name}`)];
}

/** Returns whether a declaration of the symbol has a docstring: an overload or a type and value of one name share it. */
function isDocumented(file: string, symbol: string): boolean {
  const text = readFileSync(file, 'utf8');
  const declared = declarationsOf(text).filter(({ name }) => name === symbol);
  if (declared.length > 0) return declared.some(({ hasDocstring }) => hasDocstring);
  const isNamed = new RegExp(`\\b${symbol}\\b`);
  const path = [...text.matchAll(RE_EXPORT)].find(([, names = '']) => isNamed.test(names))?.[2];
  return path !== undefined && isDocumented(fileOf(path, file), symbol);
}

/** Returns the declaration file of a module that a file imports. */
function fileOf(path: string, from: string): string {
  return join(dirname(from), path.replace(/\.[jt]s$/, '.d.ts'));
}

function declarationsOf(
  text: string,
): readonly { readonly name: string; readonly hasDocstring: boolean }[] {
  return [...text.matchAll(DECLARATION)].map(([, end, name = '']) => ({
    name,
    hasDocstring: end !== undefined,
  }));
}
