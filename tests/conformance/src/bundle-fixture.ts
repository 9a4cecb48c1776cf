import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a fixture with its imports into one file: the referee starts up to 39 clients at once,
 * which would be slow with type stripping. Returns the file.
 */
export async function bundleFixture(name: 'server' | 'client', folder: string): Promise<string> {
  const file = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, name, 'main.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    conditions: ['@signalbox/source'],
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return file;
}
