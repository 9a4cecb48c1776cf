/** Writes one line. */
export function reportToStderr(error: unknown): void {
  const { inspect } = process.getBuiltinModule('node:util');
  process.stderr.write(`${inspect(error, { breakLength: Infinity }).replaceAll(/\s*\n\s*/gu, ' | ')}\n`);
}
