import type { Databases } from '../databases.ts';

/** Returns the schema of the argument that names the database of a call, which lists the names. */
export function databaseArgument({ names }: Databases): {
  readonly type: 'string';
  readonly description: string;
} {
  return { type: 'string', description: names.join(', ') };
}
