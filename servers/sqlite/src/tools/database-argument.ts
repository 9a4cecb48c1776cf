import type { Databases } from '../databases.ts';

/** Returns the schema of the argument that names the database of a call; the first is the default. */
export function databaseArgument({ names }: Databases): {
  readonly type: 'string';
  readonly enum: readonly string[];
} {
  return { type: 'string', enum: names };
}
