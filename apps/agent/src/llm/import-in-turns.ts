import { setImmediate as nextTurn } from 'node:timers/promises';

type Import<T> = () => Promise<T>;

/**
 * Returns a function that imports a large package: first its given parts, each in its own turn of
 * the event loop, then the package itself. Loading an SDK of some 250 modules at once blocks the
 * loop for more than 100 ms. Only the first call imports.
 */
export function importInTurns<T>(
  parts: readonly Import<unknown>[],
  importPackage: Import<T>,
): Import<T> {
  let imported: Promise<T> | undefined;
  const importAll = async (): Promise<T> => {
    for (const importPart of parts) {
      await importPart();
      await nextTurn();
    }
    return importPackage();
  };
  return () => (imported ??= importAll());
}
