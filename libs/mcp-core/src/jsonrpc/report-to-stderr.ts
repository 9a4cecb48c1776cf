/** Writes an error to stderr as one line. */
export function reportToStderr(error: unknown): void {
  const { inspect } = process.getBuiltinModule('node:util');
  process.stderr.write(
    `${inspect(error, { breakLength: Infinity }).replaceAll(/\s*\n\s*/gu, ' | ')}\n`,
  );
}

/**
 * Wraps a callback of the host so that errors it throws are reported on stderr and have no other
 * effect.
 */
export function guarded<T>(callback: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      callback(value);
    } catch (failure) {
      reportToStderr(failure);
    }
  };
}
