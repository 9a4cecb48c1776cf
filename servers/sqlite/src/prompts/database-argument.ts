import { ErrorCode, ProtocolError } from '@signalbox/mcp-core';
import type { PromptArgumentDefinition } from '@signalbox/mcp-core/server';
import type { Databases, ServedDatabase } from '../databases.ts';
import { completeNames } from '../resources/complete-names.ts';

/** Returns the optional argument that names the database of a prompt. */
export function databaseArgument({ names }: Databases): PromptArgumentDefinition & {
  readonly name: 'database';
} {
  return {
    name: 'database',
    description: `One of: ${names.join(', ')}; default the first`,
    complete: (typed) => completeNames(typed, names),
  };
}

/** Returns the database of this name, by default the first. @throws ProtocolError -32602 */
export function databaseOf(databases: Databases, name: string | undefined): ServedDatabase {
  const database = databases.find(name ?? databases.names[0] ?? '');
  if (database === undefined)
    throw new ProtocolError(
      ErrorCode.invalidParams,
      `Invalid params: there is no database ${JSON.stringify(name?.slice(0, 100))}. Existing: ${databases.names.join(', ')}.`,
    );
  return database;
}
