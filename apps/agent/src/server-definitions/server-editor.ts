import { createHmac, randomBytes } from 'node:crypto';
import { canonicalJson } from '@signalbox/mcp-core';
import { isRemote, type ServerConfig } from '../config/config.ts';
import type { FileServer } from '../config/config-file.ts';
import type { ServerEntry } from '../config/config-schema.ts';
import { writeServerChanges, type ServerChanges } from '../config/server-changes.ts';
import type { CheckedDefinition, ServerEditing } from '../config/server-editing.ts';
import { SERVER_NAME } from '../config/server-name.ts';
import type { ServerPool } from '../mcp/server-pool.ts';
import type { Logger } from '../ports/logger.ts';
import {
  DefinitionError,
  type DefinitionChange,
  type DefinitionProblem,
  type EditMode,
  type ServerDefinitions,
  type ShownDefinition,
} from '../ports/server-definitions.ts';
import type { ServerLogins } from '../ports/server-logins.ts';
import type { Store } from '../ports/store.ts';
import { StorageError } from '../ports/store/errors.ts';
import {
  addressProblems,
  haveSameRecipients,
  nulProblems,
  readsOfService,
  type ReadDefinition,
} from './definition-rules.ts';
import { definitionProblems, refuseProblems } from './definition-problems.ts';
import { serverAudit } from './server-audit.ts';
import { restoreSecrets, shownDefinition } from './shown-definition.ts';

/** Maximum number of servers that were added or changed by the API. */
export const MAX_STORED_SERVERS = 200;

/** Maximum length of the JSON text of a definition. */
export const MAX_DEFINITION_LENGTH = 64 * 1024;

export interface ServerEditorOptions {
  readonly editing: ServerEditing;
  /** Configured servers of the process. */
  readonly servers: {
    get(name: string): ServerConfig | undefined;
    put(server: ServerConfig): void;
    remove(name: string): void;
  };
  readonly pool: Pick<ServerPool, 'putServer' | 'removeServer'>;
  readonly logins: Pick<ServerLogins, 'loginOf' | 'logOut'>;
  readonly store: Pick<Store, 'write'>;
  readonly logger: Logger;
  /** Networks in which remote servers may be beside the public ones. */
  readonly allowedNetworks?: readonly string[] | undefined;
}

/** Changes the servers of this process, and stores each change before it is applied. */
export class ServerEditor implements ServerDefinitions {
  readonly #options: ServerEditorOptions;
  readonly #stored: Map<string, FileServer>;
  /** Key of the tags, which otherwise would reveal digests of secrets. */
  readonly #tagKey = randomBytes(32);
  #changes: ServerChanges;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ServerEditorOptions) {
    this.#options = options;
    this.#changes = options.editing.changes;
    this.#stored = new Map(options.editing.stored);
  }

  get mode(): EditMode {
    return this.#options.editing.mode;
  }

  describe(name: string): ReturnType<ServerDefinitions['describe']> {
    const { fixed } = this.#options.editing;
    if (fixed?.has(name) === true) return { source: 'command_line', isEditable: false };
    const file = this.#find(name);
    if (file === undefined) return undefined;
    return {
      source: this.#stored.has(name) ? 'api' : 'configuration',
      isEditable: this.mode === 'all' || file.isRemote,
    };
  }

  get(name: string): ShownDefinition {
    const { entry, problems } = this.#editable(name);
    if (entry === undefined)
      throw new DefinitionError(
        'server_not_editable',
        `the definition of the server ${name} is invalid and cannot be shown (${problems.join('; ')}); replace it, or remove the server`,
      );
    return this.#shown(entry);
  }

  put(
    name: string,
    definition: { readonly [member: string]: unknown },
    change: DefinitionChange,
  ): Promise<ShownDefinition> {
    return this.#inTurn(() => this.#put(name, definition, change));
  }

  remove(name: string, change: DefinitionChange): Promise<void> {
    return this.#inTurn(() => this.#remove(name, change));
  }

  async #put(
    name: string,
    definition: { readonly [member: string]: unknown },
    { apiKey, isNew = false, check }: DefinitionChange,
  ): Promise<ShownDefinition> {
    const current = isNew ? this.#unused(name) : this.#changeable(name, check);
    const read = await this.#read(name, definition, current);
    const isReplaced = this.#stored.has(name);
    if (!isReplaced && this.#stored.size >= MAX_STORED_SERVERS)
      throw new DefinitionError(
        'too_many_servers',
        `${MAX_STORED_SERVERS} servers were added or changed by the API already, which is the maximum; remove one first`,
      );
    const entries = new Map([...this.#changes.entries, [name, read.entry]]);
    const removed = new Set(this.#changes.removed);
    removed.delete(name);
    await this.#store(
      { entries, removed },
      { name, apiKey, decision: isNew ? 'added' : 'changed' },
    );
    const isElsewhere = !haveSameRecipients(this.#readOf(name, current), read);
    if (current !== undefined && isElsewhere) await this.#forgetLogin(name);
    this.#stored.set(name, {
      name,
      configuredName: name,
      location: ['mcpServers', name],
      entry: read.entry,
      problems: [],
      isRemote: isRemote(read.server),
    });
    this.#options.servers.put(read.server);
    this.#options.pool.putServer(read.server);
    return this.#shown(read.entry);
  }

  async #remove(name: string, { apiKey, check }: DefinitionChange): Promise<void> {
    const { configured } = this.#options.editing;
    this.#changeable(name, check);
    const entries = new Map(this.#changes.entries);
    entries.delete(name);
    const removed = new Set(this.#changes.removed);
    if (configured.has(name)) removed.add(name);
    await this.#store({ entries, removed }, { name, apiKey, decision: 'removed' });
    await this.#forgetLogin(name);
    this.#stored.delete(name);
    this.#options.servers.remove(name);
    this.#options.pool.removeServer(name);
  }

  /** Reads a definition with the secrets that it keeps. @throws DefinitionError */
  async #read(
    name: string,
    definition: { readonly [member: string]: unknown },
    current: FileServer | undefined,
  ): Promise<ReadDefinition & { readonly server: ServerConfig }> {
    const { length } = JSON.stringify(definition);
    if (length > MAX_DEFINITION_LENGTH)
      refuseProblems([
        { path: '', message: `has ${length} characters; at most ${MAX_DEFINITION_LENGTH}` },
      ]);
    const given = await this.#checked(name, definition);
    if (this.mode === 'remote' && given.entry.url === undefined) throw this.#refusal(name);
    const restored = restoreSecrets(given.entry, current?.entry);
    refuseProblems(restored.problems);
    const read = await this.#checked(name, restored.entry);
    const isSameRecipient = haveSameRecipients(this.#readOf(name, current), read);
    refuseProblems([
      ...(restored.hasKeptRemoteSecrets && !isSameRecipient ? [MOVED_SECRETS] : []),
      ...(this.mode === 'remote'
        ? readsOfService(read.entry, isSameRecipient ? current?.entry : undefined)
        : []),
      ...nulProblems(read.entry),
      ...addressProblems(read.server, this.#options.allowedNetworks),
    ]);
    for (const notice of read.notices) this.#options.logger.warn(notice);
    return read;
  }

  /** @throws DefinitionError */
  async #checked(
    name: string,
    definition: { readonly [member: string]: unknown },
  ): Promise<Pick<CheckedDefinition, 'notices'> & Complete> {
    const { entry, server, problems, notices } = await this.#options.editing.check(
      name,
      definition,
    );
    refuseProblems(definitionProblems(name, problems));
    if (entry === undefined || server === undefined)
      throw new Error('a definition without problems could not be read');
    return { entry, server, notices };
  }

  /** Stores a change: first in the audit log, so that no change is missing there. */
  async #store(
    changes: ServerChanges,
    {
      name,
      apiKey,
      decision,
    }: {
      readonly name: string;
      readonly apiKey: string;
      readonly decision: 'added' | 'changed' | 'removed';
    },
  ): Promise<void> {
    const { store, editing, logger } = this.#options;
    await store.write({}, (sql) => sql.appendAudit([serverAudit(name, decision, apiKey)]));
    try {
      await writeServerChanges(editing.file, changes);
    } catch (error) {
      await store.write({}, (sql) => sql.appendAudit([serverAudit(name, 'not_applied', apiKey)]));
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      throw new StorageError(
        code === 'ENOSPC' || code === 'EDQUOT' ? 'full' : 'broken',
        `the change of the server ${name} could not be stored in the data directory (${code}); nothing was changed`,
        { cause: error },
      );
    }
    this.#changes = changes;
    logger.info('a server was changed by the API', { server: name, change: decision, key: apiKey });
  }

  /** Removes the tokens of a server that is removed, or is at another address from now on. */
  async #forgetLogin(name: string): Promise<void> {
    const { logins, logger } = this.#options;
    try {
      if ((await logins.loginOf(name)) !== undefined) await logins.logOut(name);
    } catch (error) {
      logger.warn('the login of a server that was changed could not be removed', {
        server: name,
        error,
      });
    }
  }

  #readOf(name: string, file: FileServer | undefined): ReadDefinition | undefined {
    return file?.entry && { entry: file.entry, server: this.#options.servers.get(name) };
  }

  /** Returns the definition of a server that callers of the API may see. @throws DefinitionError */
  #editable(name: string): FileServer {
    const file = this.#find(name);
    if (this.describe(name)?.source === 'command_line')
      throw new DefinitionError(
        'server_not_editable',
        `the server ${name} was added on the command line, with --demo or a folder, and is not in the configuration; start the service without it`,
      );
    if (file === undefined)
      throw new DefinitionError(
        'server_not_found',
        `no MCP server is called "${name}"; GET /v1/servers lists the configured servers`,
      );
    return file;
  }

  /** Returns the definition of a server that callers of the API may change. @throws DefinitionError */
  #changeable(name: string, check: DefinitionChange['check']): FileServer {
    const file = this.#editable(name);
    check?.({ tag: this.#tagOf(file.entry ?? {}) });
    if (this.mode === 'remote' && !file.isRemote) throw this.#refusal(name);
    return file;
  }

  /** @throws DefinitionError when the name is used or invalid */
  #unused(name: string): undefined {
    if (this.describe(name) !== undefined)
      throw new DefinitionError(
        'server_exists',
        `a server is called "${name}" already; replace it with If-Match, or choose another name`,
      );
    if (!SERVER_NAME.test(name))
      throw new DefinitionError(
        'invalid_name',
        'must be 1 to 32 letters, digits, "-" and "_", begin with a letter or digit, not end with "_", and not contain "__"',
      );
    return undefined;
  }

  #refusal(name: string): DefinitionError {
    return new DefinitionError(
      'server_editing_refused',
      `the server ${name} is started with a command, and the API of this service may only change servers with a url; start the service with --edit-servers all, which lets callers of the API start programs`,
    );
  }

  #find(name: string): FileServer | undefined {
    const { configured } = this.#options.editing;
    const stored = this.#stored.get(name);
    return stored ?? (this.#changes.removed.has(name) ? undefined : configured.get(name));
  }

  #shown(entry: ServerEntry): ShownDefinition {
    return {
      definition: shownDefinition(entry),
      tag: this.#tagOf(entry),
    };
  }

  #tagOf(entry: object): string {
    const digest = createHmac('sha256', this.#tagKey).update(canonicalJson(entry));
    return `"${digest.digest('base64url').slice(0, 22)}"`;
  }

  /** Runs changes one after the other. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(change);
    this.#queue = result.catch(() => undefined);
    return result;
  }
}

interface Complete {
  readonly entry: ServerEntry;
  readonly server: ServerConfig;
}

const MOVED_SECRETS: DefinitionProblem = {
  path: '/url',
  message:
    'has another origin, or the authorization server is another one, to which no stored secret is sent; write the secrets themselves in place of ***',
};
