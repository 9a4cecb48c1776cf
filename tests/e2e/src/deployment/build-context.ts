import { cpSync, readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

/** Returns whether a path relative to the build context is left out of it. */
export type IsIgnored = (path: string) => boolean;

/** Parses a .dockerignore file: the last pattern that matches a path or a folder above it decides. */
export function parseDockerignore(text: string): IsIgnored {
  const rules = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({
      isIgnored: !line.startsWith('!'),
      pattern: expressionOf(line.replace(/^!/, '')),
    }));
  return (path) => {
    const parts = path.split('/');
    const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return (
      rules.findLast(({ pattern }) => paths.some((each) => pattern.test(each)))?.isIgnored ?? false
    );
  };
}

/** Translates a pattern: `*` matches names that begin with a dot, too. */
function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*\*\/|\*\*|\*|\?/g, (part) =>
      part === '**/' ? '(?:.*/)?' : part === '**' ? '.*' : part === '*' ? '[^/]*' : '[^/]',
    );
  return new RegExp(`^${source}$`);
}

/** Copies the build context, the files under `root` that the ignore file leaves, into a folder. */
export function copyContext(root: string, ignoreFile: string, target: string): void {
  const ignores = readFileSync(ignoreFile, 'utf8');
  const isIgnored = parseDockerignore(ignores);
  const included = ignores
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1).trim());
  cpSync(root, target, {
    recursive: true,
    verbatimSymlinks: true,
    filter(path) {
      const place = relative(root, path).replaceAll(sep, '/');
      return (
        place === '' ||
        !isIgnored(place) ||
        included.some((pattern) => pattern.startsWith(`${place}/`))
      );
    },
  });
}
