import type { Metadata } from '../ports/store/metadata.ts';
import { Problem } from './problem.ts';
import { MAX_METADATA_ENTRIES } from './schemas.ts';

/** Returns the metadata with the given entries set, and without the entries that are null. @throws Problem when there are too many */
export function patchMetadata(
  metadata: Metadata,
  patch: { readonly [name: string]: string | null },
): Metadata {
  const entries = Object.entries({ ...metadata, ...patch }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  if (entries.length > MAX_METADATA_ENTRIES) {
    const error = {
      path: '/body/metadata',
      message: `must have at most ${MAX_METADATA_ENTRIES} entries, and would have ${entries.length}`,
    };
    throw new Problem('invalid_request', `${error.path}: ${error.message}`, { errors: [error] });
  }
  return Object.fromEntries(entries);
}
