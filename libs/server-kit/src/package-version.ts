import { readFileSync } from 'node:fs';

/**
 * Returns the `version` of the package.json one folder above the module with this URL
 * (`import.meta.url` of a file in src, dist or bundle).
 * @throws Error when there is no such file or it has no version
 */
export function packageVersion(moduleUrl: string): string {
  const manifest = readManifest(moduleUrl);
  if (
    typeof manifest === 'object' &&
    manifest !== null &&
    'version' in manifest &&
    typeof manifest.version === 'string'
  )
    return manifest.version;
  throw new Error(`no version in the package.json above ${moduleUrl}`);
}

function readManifest(moduleUrl: string): unknown {
  const file = new URL('../package.json', moduleUrl);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(
      `There is no readable package.json in the folder above ${moduleUrl}. Call packageVersion from a file in src, dist or bundle, or write the version out.`,
      { cause: error },
    );
  }
}
