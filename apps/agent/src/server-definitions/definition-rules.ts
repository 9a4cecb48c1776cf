import { isPlainObject } from '../json/plain-object.ts';
import type { ServerConfig } from '../config/config.ts';
import { isRemote } from '../config/config.ts';
import type { ServerEntry } from '../config/config-schema.ts';
import { isMetadataAddress, serverLookup } from '../mcp/server-addresses.ts';
import type { DefinitionProblem } from '../ports/server-definitions.ts';
import { messageOf } from '../text/error-text.ts';
import { pointerPart } from './shown-definition.ts';

/** A definition with its expanded form, if it is usable. */
export interface ReadDefinition {
  readonly entry: ServerEntry;
  readonly server: ServerConfig | undefined;
}

/** Files whose contents are sent, or prove the identity of the service, to an address of the definition. */
const FILE_PLACES: ReadonlySet<string> = new Set([
  '/signalbox/auth/privateKeyFile',
  '/signalbox/auth/assertionFile',
  '/signalbox/auth/idTokenFile',
  '/signalbox/auth/identityProvider/privateKeyFile',
]);

/** Whether both definitions send their secrets to the same addresses. */
export function haveSameRecipients(
  left: ReadDefinition | undefined,
  right: ReadDefinition | undefined,
): boolean {
  const [first, second] = [recipientsOf(left), recipientsOf(right)];
  return first !== undefined && first === second;
}

/**
 * Returns the texts of a remote definition that read the environment or files of the service and
 * that the current definition does not have in the same place. Callers who may only add addresses
 * could otherwise have secrets of the service sent to them.
 */
export function readsOfService(
  entry: ServerEntry,
  current: ServerEntry | undefined,
): readonly DefinitionProblem[] {
  const before = new Map(current === undefined ? [] : textsOf(current));
  return textsOf(entry).flatMap(([path, text]) => {
    if (before.get(path) === text) return [];
    if (hasReference(text))
      return [
        {
          path,
          message:
            'reads the environment of the service, which edit_servers "remote" does not allow; write the value itself, or $${ for a literal ${',
        },
      ];
    return FILE_PLACES.has(path)
      ? [
          {
            path,
            message:
              'reads a file of the service, which edit_servers "remote" does not allow; set it in the configuration file',
          },
        ]
      : [];
  });
}

/** Returns the texts that contain a NUL character, which no program argument or header may have. */
export function nulProblems(entry: ServerEntry): readonly DefinitionProblem[] {
  return textsOf(entry).flatMap(([path, text]) =>
    text.includes('\0') ? [{ path, message: 'contains a NUL character; remove it' }] : [],
  );
}

/**
 * Returns the problem of an address to which the service makes no connections: an address in the URL
 * that is not among the allowed networks, or that of a metadata service.
 */
export function addressProblems(
  server: ServerConfig,
  allowedNetworks: readonly string[] | undefined,
): readonly DefinitionProblem[] {
  if (!isRemote(server)) return [];
  try {
    serverLookup(server.url, allowedNetworks);
  } catch (error) {
    return [{ path: '/url', message: messageOf(error) }];
  }
  return allowedNetworks === undefined && isMetadataAddress(server.url)
    ? [
        {
          path: '/url',
          message:
            'is a link-local address or that of a metadata service, which callers of the API cannot add; add it to the configuration file if it is intended',
        },
      ]
    : [];
}

function recipientsOf(definition: ReadDefinition | undefined): string | undefined {
  if (definition?.server === undefined || !isRemote(definition.server)) return undefined;
  const { auth } = definition.entry.signalbox ?? {};
  return JSON.stringify([
    new URL(definition.server.url).origin,
    auth?.issuer,
    auth?.identityProvider?.issuer,
  ]);
}

function hasReference(text: string): boolean {
  return (text.match(/\$?\$\{/g) ?? []).some((start) => start === '${');
}

/** Returns the texts and names in a value with their JSON pointers. */
function textsOf(value: unknown, path = ''): readonly (readonly [string, string])[] {
  if (typeof value === 'string') return [[path, value]];
  if (Array.isArray(value))
    return value.flatMap((item, index) => textsOf(item, `${path}/${index}`));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([name, item]) => {
    const place = `${path}/${pointerPart(name)}`;
    return name.includes('\0') ? [[place, name] as const] : textsOf(item, place);
  });
}
