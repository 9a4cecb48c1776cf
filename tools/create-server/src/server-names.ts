import { hostSections } from './publishing/hosts.ts';

/** Options of the generators. */
export interface ServerOptions {
  readonly name: string;
  /** Default: `MCP server NAME`. */
  readonly description?: string;
  /** With or without its `@`. Default: `signalbox`, and none for a project outside of this repository. */
  readonly scope?: string;
  /** Whether the server is a project outside of this repository. Default: false. */
  readonly isAlone?: boolean;
}

/** Every name that follows from the options. */
export interface ServerNames {
  readonly name: string;
  readonly description: string;
  /** Path relative to the root of the workspace. */
  readonly folder: string;
  readonly packageName: string;
  /** Name of the executable. */
  readonly command: string;
  readonly className: string;
  readonly envPrefix: string;
  /** Name in the MCP Registry. */
  readonly mcpName: string;
}

/** Values of the templates that the names do not determine. */
export interface TemplateFacts {
  readonly version: string;
  /** Versions of the libraries in package.json. */
  readonly coreVersion: string;
  readonly kitVersion: string;
  /** Arguments of Node in the tests of the process, as items of an array with a comma after each. */
  readonly testArguments: string;
  /** Path of the program in the snippets for hosts. */
  readonly program: string;
  /** Command that packs the package. */
  readonly pack: string;
}

const MAX_NAME = 40;
const MAX_DESCRIPTION = 200;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const SCOPE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const CONTROL = /\p{Cc}/u;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Reserved names, with the reason. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ...['data', 'file', 'git', 'http', 'https', 'javascript'].map(
    (scheme) => [scheme, `its resources would have URIs of the scheme ${scheme}:`] as const,
  ),
  ['fs', 'its variables would be those of the filesystem server, MCP_FS_…'],
  [
    'state',
    'its variables would begin like MCP_STATE_KEY, the key of server-kit for request state',
  ],
]);

/**
 * Checks the options and derives all names.
 * @throws Error for an invalid option; the message names the option and the allowed values.
 */
export function serverNames({
  name,
  description = `MCP server ${name}`,
  isAlone = false,
  scope = isAlone ? undefined : 'signalbox',
}: ServerOptions): ServerNames {
  if (!NAME.test(name) || name.length > MAX_NAME) {
    throw new Error(
      `${JSON.stringify(name)} cannot be the name of a server. Use at most ${MAX_NAME} lower-case letters, digits and single hyphens, with a letter first, for example "release-notes".`,
    );
  }
  if (WINDOWS_DEVICE.test(name))
    throw new Error(
      `"${name}" is reserved: Windows has a device of that name. Choose another one.`,
    );
  const reason = RESERVED.get(name);
  if (reason !== undefined)
    throw new Error(`"${name}" is reserved: ${reason}. Choose another one.`);
  const owner = scope?.replace(/^@/, '');
  if (owner !== undefined && (!SCOPE.test(owner) || owner.length > MAX_NAME))
    throw new Error(
      `${JSON.stringify(scope)} cannot be the scope of a package. Use lower-case letters, digits and single hyphens, for example "--scope @acme".`,
    );
  const line = description.trim();
  if (line === '' || line.length > MAX_DESCRIPTION || CONTROL.test(line))
    throw new Error(`The description must be one line of 1 to ${MAX_DESCRIPTION} characters.`);
  return {
    name,
    description: line,
    folder: `servers/${name}`,
    packageName: owner === undefined ? `mcp-server-${name}` : `@${owner}/server-${name}`,
    command: owner === undefined ? `mcp-server-${name}` : `${owner}-${name}`,
    className: name.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase()),
    envPrefix: `MCP_${name.replaceAll('-', '_').toUpperCase()}`,
    mcpName: `${owner === 'signalbox' ? 'dev.signalbox' : `io.github.${owner ?? 'your-account'}`}/${name}`,
  };
}

/** Returns the value of every expression in the templates of a server. */
export function templateValues(
  names: ServerNames,
  { program, ...facts }: TemplateFacts,
): { readonly [name: string]: string } {
  const { name, description, packageName } = names;
  return {
    ...names,
    ...facts,
    title: `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`,
    descriptionInTemplate: description.replace(/[\\`]|\$(?=\{)/g, (character) => `\\${character}`),
    tarball: `${packageName.replace('@', '').replace('/', '-')}-${facts.version}.tgz`,
    hosts: hostSections([{ name, command: 'node', args: [program] }], 3),
  };
}
