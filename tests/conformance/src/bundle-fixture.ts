import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Makes one file of a fixture and what it imports: the referee starts up to 39 clients at once, which is no time to strip types.
 * Returns the file.
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
