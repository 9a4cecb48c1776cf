// The declarations that a package publishes: those of its exports, and every declaration that they import, dist/<path>.d.ts -> bundle/<path>.d.ts.
// The other declarations of dist name packages that are bundled, and are not installed with the package.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The module of an import, export or `import('…')` type. */
const SPECIFIER = /(\bfrom\s*|^import\s*|\bimport\()(['"])(\.[^'"]*)\.[jt]s\2/gm;

/** Copies the declarations into bundle, for the `types` of `exports`: `./bundle/<path>.d.ts`. */
export function writePublishedTypes(exports) {
  const waiting = Object.values(exports).flatMap(({ types }) =>
    types?.startsWith('./bundle/') ? [types.replace('./bundle/', '').replace(/\.d\.ts$/, '')] : [],
  );
  const copied = new Set();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (copied.has(path)) continue;
    copied.add(path);
    const folder = dirname(path);
    const text = readFileSync(join('dist', `${path}.d.ts`), 'utf8')
      .replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
      .replace(SPECIFIER, (_, before, quote, specifier) => {
        waiting.push(join(folder, specifier));
        return `${before}${quote}${specifier}.js${quote}`;
      });
    mkdirSync(join('bundle', folder), { recursive: true });
    writeFileSync(join('bundle', `${path}.d.ts`), text);
  }
}
