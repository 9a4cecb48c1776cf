import type { JsonObject } from '@signalbox/mcp-core';

/** Kinds of servers that callers of the API may add, change and remove. */
export type EditMode = 'off' | 'remote' | 'all';

/** Origin of the definition of a server: the configuration file, the API, or the command line. */
export type DefinitionSource = 'configuration' | 'api' | 'command_line';

/** The definition of a server as it may be shown. */
export interface ShownDefinition {
  /** Entry in the spelling of `signalbox.json`, with a mark in place of each secret. */
  readonly definition: JsonObject;
  /** Entity tag, which changes with each change of the definition, also of its secrets, and with a restart. */
  readonly tag: string;
}

export interface DefinitionChange {
  /** Name of the API key of the request. */
  readonly apiKey: string;
  /** Whether the server must not exist. Default: it must exist. */
  readonly isNew?: boolean;
  /** Checks the current definition, and throws to refuse the change. */
  readonly check?: ((current: Pick<ShownDefinition, 'tag'>) => void) | undefined;
}

/** Definitions of the servers, and their changes while the service runs. */
export interface ServerDefinitions {
  readonly mode: EditMode;
  /** Returns where a server is defined, and whether callers of the API may change it. Undefined for an unknown server. */
  describe(
    name: string,
  ): { readonly source: DefinitionSource; readonly isEditable: boolean } | undefined;
  /** @throws DefinitionError */
  get(name: string): ShownDefinition;
  /**
   * Stores a definition and applies it: a new server connects, a changed one is replaced once its
   * calls in flight have ended. A mark keeps the secret in its place.
   * @throws DefinitionError
   */
  put(
    name: string,
    definition: { readonly [member: string]: unknown },
    change: DefinitionChange,
  ): Promise<ShownDefinition>;
  /** Removes a server for good, once its calls in flight have ended. @throws DefinitionError */
  remove(name: string, change: DefinitionChange): Promise<void>;
}

/** A problem in a definition. */
export interface DefinitionProblem {
  /** JSON pointer into the definition; empty for the whole. */
  readonly path: string;
  readonly message: string;
}

/** Thrown for a change of servers that is refused. */
export class DefinitionError extends Error {
  readonly code:
    | 'server_editing_off'
    | 'server_editing_refused'
    | 'server_not_editable'
    | 'server_not_found'
    | 'server_exists'
    | 'too_many_servers'
    | 'invalid_definition'
    | 'invalid_name';
  readonly problems: readonly DefinitionProblem[];

  constructor(
    code: DefinitionError['code'],
    message: string,
    problems: readonly DefinitionProblem[] = [],
  ) {
    super(message);
    this.name = 'DefinitionError';
    this.code = code;
    this.problems = problems;
  }
}
