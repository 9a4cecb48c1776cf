import { browserUrl, type ServerManifest } from './server-manifest.ts';

/** The schema of server.json that the files follow. */
export const SERVER_JSON_SCHEMA =
  'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** Characters that the MCP Registry accepts in a description. */
const MAX_DESCRIPTION = 100;

/** An entry of the MCP Registry for a server that is an npm package and speaks over stdio. */
export interface ServerJson {
  readonly $schema: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly repository?: {
    readonly url: string;
    readonly source: string;
    readonly subfolder?: string;
  };
  readonly version: string;
  readonly websiteUrl?: string;
  readonly packages: readonly [RegistryPackage];
  readonly _meta?: {
    readonly [PUBLISHER_META]?: PublisherMeta;
  };
}

/** Key of `_meta` for data that the registry stores without reading it. */
export const PUBLISHER_META = 'io.modelcontextprotocol.registry/publisher-provided';

export interface PublisherMeta {
  /** Privacy policies of the services that the server calls. */
  readonly privacyPolicies?: readonly string[];
}

export interface RegistryPackage {
  readonly registryType: 'npm';
  readonly identifier: string;
  readonly version: string;
  readonly runtimeHint: 'npx';
  readonly transport: { readonly type: 'stdio' };
  readonly packageArguments?: readonly PositionalArgument[];
  readonly environmentVariables?: readonly EnvironmentVariable[];
}

/** A value that the user of a host gives. */
export interface Input {
  readonly description: string;
  readonly format?: 'string' | 'number' | 'boolean' | 'filepath';
  readonly isRequired?: boolean;
  readonly isSecret?: boolean;
  readonly default?: string;
  /** Example of a value. */
  readonly placeholder?: string;
  readonly choices?: readonly string[];
}

export interface PositionalArgument extends Input {
  readonly type: 'positional';
  /** Identifier of the argument. For a path it ends with `directory` or `file`. */
  readonly valueHint: string;
  readonly isRepeated?: boolean;
}

export interface EnvironmentVariable extends Input {
  readonly name: string;
}

/**
 * Returns server.json with the fields that follow from package.json set to their current values. Title, arguments, variables and `_meta` are kept.
 * @see https://github.com/modelcontextprotocol/registry/blob/main/docs/reference/server-json/generic-server-json.md
 */
export function updateServerJson(current: ServerJson, manifest: ServerManifest): ServerJson {
  const { repository, homepage } = manifest;
  const { _meta: meta } = current;
  const [{ packageArguments, environmentVariables }] = current.packages;
  return {
    $schema: SERVER_JSON_SCHEMA,
    name: manifest.mcpName,
    ...(current.title === undefined ? {} : { title: current.title }),
    description: shortened(manifest.description),
    ...(repository === undefined
      ? {}
      : {
          repository: {
            url: browserUrl(repository),
            source: 'github',
            ...(repository.directory === undefined ? {} : { subfolder: repository.directory }),
          },
        }),
    version: manifest.version,
    ...(homepage === undefined ? {} : { websiteUrl: homepage }),
    packages: [
      {
        registryType: 'npm',
        identifier: manifest.name,
        version: manifest.version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        ...(packageArguments === undefined ? {} : { packageArguments }),
        ...(environmentVariables === undefined ? {} : { environmentVariables }),
      },
    ],
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

/** Keeps whole words. */
function shortened(description: string): string {
  if (description.length <= MAX_DESCRIPTION) return description;
  const end = description.lastIndexOf(' ', MAX_DESCRIPTION - 1);
  return `${description.slice(0, end === -1 ? MAX_DESCRIPTION - 1 : end).trimEnd()}…`;
}
