import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Bundles for a browser a module that imports what `code` says. */
async function bundle(code: string) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  return { bytes: outputFiles[0]?.contents ?? new Uint8Array(), metafile };
}

const everything = `export * from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))};`;

test('the client is a bundle for browsers of at most 15 KB, compressed', async () => {
  const { bytes, metafile } = await bundle(everything);
  const size = gzipSync(bytes).length;
  expect(size).toBeGreaterThan(1000);
  expect(size).toBeLessThan(15 * 1024);
  expect(Object.keys(metafile.inputs).some((path) => path.includes('openapi-fetch'))).toBe(true);
});

test('a bundle with a module of Node fails', async () => {
  await expect(bundle(`${everything}\nimport 'node:fs';`)).rejects.toThrow('node:fs');
});
