// Whether the MCP Registry would accept a server.json.
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { readJson } from './packages.mjs';

const ajv = new Ajv({ allErrors: true });
formats.default(ajv);
const validate = ajv.compile(readJson(join(import.meta.dirname, 'server-json.schema.json')));

/** Returns the problems of a server.json, one line each. The registry compares the name with `mcpName` in the published package.json. */
export function registryProblems(serverJson, manifest) {
  validate(serverJson);
  const [{ identifier, version } = {}] = serverJson.packages ?? [];
  return [
    ...(validate.errors ?? []).map(
      ({ instancePath, message }) => `server.json${instancePath} ${message}`,
    ),
    ...(serverJson.name === manifest.mcpName ? [] : ['server.json: name differs from mcpName']),
    ...(identifier === manifest.name ? [] : ['server.json: identifier is not the package']),
    ...(version === manifest.version ? [] : ['server.json: version is not that of the package']),
  ];
}

/** Returns the wrong entries that the check accepts. None, unless the check is broken. */
export function acceptedWrongEntries(serverJson, manifest) {
  const [entry] = serverJson.packages;
  const wrong = {
    'a name without a namespace': { ...serverJson, name: 'weather' },
    'a description of 101 characters': { ...serverJson, description: 'x'.repeat(101) },
    'a range of versions': { ...serverJson, packages: [{ ...entry, version: '^1.0.0' }] },
    'a transport without its address': {
      ...serverJson,
      packages: [{ ...entry, transport: { type: 'sse' } }],
    },
    'an unknown member': { ...serverJson, packages: [{ ...entry, arguments: [] }] },
    'another package': { ...serverJson, packages: [{ ...entry, identifier: 'other' }] },
  };
  return Object.keys(wrong).filter((name) => registryProblems(wrong[name], manifest).length === 0);
}
