import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const manifest = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/conformance/package.json',
);

/** Entry of the official conformance suite, to be run with Node. */
export const referee = join(dirname(manifest), 'dist', 'index.js');

/** Folder of its requirement sets, `<revision>.yaml`. */
export const refereeRequirements = join(dirname(manifest), 'requirements');

// The suite's own dependency.
const yaml = createRequire(manifest)('yaml') as { readonly parse: (text: string) => unknown };

/** Reads YAML with the suite's own parser. */
export const parseYaml: (text: string) => unknown = yaml.parse;
