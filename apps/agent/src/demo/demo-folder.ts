import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folder that the demos read: the repository in a checkout, the working directory for an installed package. */
export function demoFolder({
  repository,
  cwd,
}: {
  readonly repository: string;
  readonly cwd: string;
}): string {
  return isRepository(repository) ? repository : cwd;
}

function isRepository(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name?: unknown;
    };
    return name === '@signalbox/source';
  } catch {
    // No readable package.json: not the repository.
    return false;
  }
}
