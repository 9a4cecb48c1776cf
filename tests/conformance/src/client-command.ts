/**
 * Returns the command line of a client. The referee splits it at single spaces and passes it to a
 * shell, so both paths are quoted.
 */
export function clientCommand(file: string): string {
  return [process.execPath, file].map((path) => JSON.stringify(path)).join(' ');
}
