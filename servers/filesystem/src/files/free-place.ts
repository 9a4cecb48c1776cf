import { PathError, type Place, type Sandbox } from '@signalbox/file-sandbox';

/** Advice for a missing parent directory. */
export const parentAdvice = 'Create it with create_directory first.';

/**
 * Returns the verified place of a path that does not exist yet. The caller closes its directory.
 * @throws PathError, `refused` when something is there, be it a link that leads nowhere
 */
export async function freePlace(sandbox: Sandbox, destination: string): Promise<Place> {
  try {
    const existing = await sandbox.entry(destination);
    await existing.directory.close();
  } catch (error) {
    if (!(error instanceof PathError) || error.reason !== 'not-found') throw error;
    return sandbox.place(destination, { createParents: false, parentAdvice });
  }
  throw existsError(destination);
}

export function existsError(destination: string, cause?: unknown): PathError {
  return new PathError(
    'refused',
    `${destination} already exists; nothing was changed. Choose another name, or remove it first.`,
    { cause },
  );
}
