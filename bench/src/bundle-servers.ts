import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { implementations } from './implementations.ts';

export interface BundledServers extends AsyncDisposable {
  /** The bundled file of a stdio server program. */
  programOf(implementation: string): string;
}

/** Bundles each stdio server into one file, as servers are shipped, in a temporary folder that is removed when the result is disposed of. */
export async function bundleServers(conditions: string[] = []): Promise<BundledServers> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundles-'));
  await build({
    entryPoints: implementations.map(({ name, server }) => ({ in: server, out: name })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    conditions,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    banner: {
      js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return {
    programOf: (implementation) => join(folder, `${implementation}.mjs`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
