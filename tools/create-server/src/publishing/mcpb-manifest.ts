import { PUBLISHER_META, type Input, type ServerJson } from './server-json.ts';
import { browserUrl, type ServerManifest } from './server-manifest.ts';

/** A manifest.json of an MCP Bundle. */
export interface McpbManifest {
  readonly manifest_version: string;
  readonly name: string;
  readonly version: string;
  readonly server: {
    readonly type: 'node';
    readonly entry_point: string;
    readonly mcp_config: {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: { readonly [name: string]: string };
    };
  };
  readonly user_config: { readonly [key: string]: UserOption };
  readonly [field: string]: unknown;
}

export interface UserOption {
  readonly type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly multiple?: boolean;
  readonly sensitive?: boolean;
  readonly default?: string | number | boolean;
}

export interface McpbDetails {
  readonly author: string;
  /** Tools for the host to show before it starts the server. */
  readonly tools?: readonly { readonly name: string; readonly description?: string }[];
}

const MANIFEST_VERSION = '0.3';

/**
 * Returns the manifest of a bundle whose files are those of the npm package. A host asks the user for each argument and variable of server.json.
 * A variable without a default is left out: a host passes the placeholder of an option without a value to the server.
 * @see https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md
 */
export function mcpbManifest(
  manifest: ServerManifest,
  serverJson: ServerJson,
  { author, tools }: McpbDetails,
): McpbManifest {
  const [command = ''] = Object.keys(manifest.bin);
  const entryPoint = manifest.bin[command] ?? '';
  const [{ packageArguments = [], environmentVariables = [] }] = serverJson.packages;
  const variables = environmentVariables.filter(({ default: value }) => value !== undefined);
  const privacyPolicies = serverJson['_meta']?.[PUBLISHER_META]?.privacyPolicies;
  return {
    manifest_version: MANIFEST_VERSION,
    name: command,
    ...(serverJson.title === undefined ? {} : { display_name: serverJson.title }),
    version: manifest.version,
    description: manifest.description,
    author: { name: author },
    ...(manifest.repository === undefined
      ? {}
      : { repository: { type: 'git', url: `${browserUrl(manifest.repository)}.git` } }),
    ...(manifest.homepage === undefined
      ? {}
      : { homepage: manifest.homepage, documentation: manifest.homepage }),
    ...(manifest.bugs === undefined ? {} : { support: manifest.bugs.url }),
    license: manifest.license,
    keywords: manifest.keywords,
    ...(privacyPolicies === undefined ? {} : { privacy_policies: privacyPolicies }),
    server: {
      type: 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: 'node',
        args: [
          `\${__dirname}/${entryPoint}`,
          ...packageArguments.map(({ valueHint }) => `\${user_config.${valueHint}}`),
        ],
        env: Object.fromEntries(
          variables.map(({ name }) => [name, `\${user_config.${name.toLowerCase()}}`]),
        ),
      },
    },
    ...(tools === undefined ? {} : { tools }),
    compatibility: {
      platforms: ['darwin', 'win32', 'linux'],
      runtimes: { node: manifest.engines.node },
    },
    user_config: Object.fromEntries([
      ...packageArguments.map(({ valueHint, isRepeated = false, ...input }) => [
        valueHint,
        // The argument of an option without a value would be its placeholder.
        { ...userOption(valueHint, { ...input, isRequired: true }), multiple: isRepeated },
      ]),
      ...variables.map(({ name, ...input }) => [
        name.toLowerCase(),
        userOption(name.replace(/^MCP_[A-Z0-9]+_/, ''), input),
      ]),
    ]) as McpbManifest['user_config'],
  };
}

function userOption(name: string, input: Input): UserOption {
  const words = name.toLowerCase().replaceAll(/[_-]/g, ' ');
  const choices = input.choices === undefined ? '' : ` (${input.choices.join(', ')})`;
  return {
    type: optionType(name, input),
    title: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`,
    description: `${input.description}${choices}`,
    required: input.isRequired ?? false,
    ...(input.isSecret === undefined ? {} : { sensitive: input.isSecret }),
    ...(input.default === undefined ? {} : { default: defaultOf(input) }),
  };
}

function optionType(name: string, { format = 'string' }: Input): UserOption['type'] {
  if (format !== 'filepath') return format;
  return name.toLowerCase().endsWith('directory') ? 'directory' : 'file';
}

function defaultOf({ format, default: value = '' }: Input): string | number | boolean {
  if (format === 'boolean') return value === 'true';
  return format === 'number' ? Number(value) : value;
}
