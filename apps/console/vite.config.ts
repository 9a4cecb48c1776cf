import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin, type Rolldown } from 'vite';
import { thirdPartyNotices } from '../../tools/third-party-notices.mjs';

/** Address of the service that the development server forwards requests of the API to. */
const SERVICE = process.env['SIGNALBOX_URL'] ?? 'http://127.0.0.1:8020';
const COMPRESSED = /\.(?:css|html|js|svg)$/;
/** Files that are smaller gain nothing. */
const MIN_BYTES = 1024;

/** Writes the licences of the packages in the bundle, and compressed copies of the files. */
function writeCompanions(): Plugin {
  return {
    name: 'write-companions',
    apply: 'build',
    writeBundle({ dir }, bundle) {
      if (dir === undefined) throw new Error('the build has no output folder');
      const inputs: { [file: string]: { bytesInOutput: number } } = {};
      for (const output of Object.values(bundle)) {
        if (output.type !== 'chunk') continue;
        for (const [id, module] of Object.entries(output.modules))
          if (!id.startsWith('\0'))
            inputs[relative(import.meta.dirname, id)] = { bytesInOutput: module.renderedLength };
      }
      writeFileSync(
        join(dir, 'THIRD-PARTY-NOTICES.txt'),
        thirdPartyNotices([{ outputs: { console: { inputs } } }], import.meta.dirname),
      );
      for (const file of readdirSync(dir, { recursive: true, encoding: 'utf8' }))
        if (COMPRESSED.test(file)) compress(join(dir, file));
    },
  };
}

function compress(file: string): void {
  const content = readFileSync(file);
  if (content.length < MIN_BYTES) return;
  writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 10 };
  writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
}

function dropDirectiveNotes(
  level: Rolldown.LogLevel,
  log: Rolldown.RolldownLog,
  print: Rolldown.LogOrStringHandler,
): void {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') print(level, log);
}

const toService = { target: SERVICE };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [writeCompanions()],
  resolve: { conditions: ['@signalbox/source', ...defaultClientConditions] },
  build: {
    outDir: 'bundle',
    emptyOutDir: true,
    target: 'es2023',
    // The content security policy allows no data in place of a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Directives of packages for servers that render pages mean nothing here.
    rolldownOptions: { onLog: dropDirectiveNotes, checks: { bundlerTimings: false } },
  },
  server: {
    proxy: Object.fromEntries(['/v1', '/healthz', '/readyz'].map((path) => [path, toService])),
  },
});
