/** Writes one line. */
export function reportToStderr(error: unknown): void {
  const { inspect } = process.getBuiltinModule('node:util');
  process.stderr.write(
    `${inspect(error, { breakLength: Infinity }).replaceAll(/\s*\n\s*/gu, ' | ')}\n`,
  );
}

/** Calls a callback of the host; what it throws is reported on stderr and harms nothing else. */
export function guarded<T>(callback: (value: T) => void): (value: T) => void {
  return (value) => {
    try {
      callback(value);
    } catch (failure) {
      reportToStderr(failure);
    }
  };
}
