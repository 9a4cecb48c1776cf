import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends the processes with the temporary folder of the tests in their command line or environment, except for vitest's own, and returns their command lines.
 * Tests that ran into their time limit leave such processes behind. They hold the pipe of the output open, and Nx would wait for its end forever.
 * Linux only; elsewhere it finds nothing.
 */
export function endLeftovers(folder: string): readonly string[] {
  return processIds().flatMap((pid) => {
    const command = textOf(pid, 'cmdline');
    const isOurs = `${command}${textOf(pid, 'environ')}`.includes(folder);
    if (!isOurs || pid === process.pid || command.includes('/vitest/')) return [];
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      return [];
    }
    return [command.replaceAll('\0', ' ').trim()];
  });
}

function processIds(): readonly number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function textOf(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
