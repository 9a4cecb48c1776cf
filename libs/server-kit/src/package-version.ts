import { readFileSync } from 'node:fs';

/** `version` of the package.json one folder above the module with this URL (`import.meta.url` of a file in src, dist or bundle). */
export function packageVersion(moduleUrl: string): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', moduleUrl), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest && typeof manifest.version === 'string') return manifest.version;
  throw new Error(`no version in the package.json above ${moduleUrl}`);
}
