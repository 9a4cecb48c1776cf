import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** The terminal of this process. */
export function createProcessIo(process: NodeJS.Process): Io {
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY,
    canAsk: process.stdin.isTTY && process.stdout.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : 80,
    async ask(question, signal) {
      const terminal = createInterface({ input: process.stdin, output: process.stdout });
      // Ctrl-C while a question is open means what it means elsewhere.
      terminal.once('SIGINT', () => process.emit('SIGINT'));
      try {
        return await terminal.question(question, { signal });
      } catch (error) {
        if (signal.aborted || isAbort(error)) return undefined;
        throw error;
      } finally {
        terminal.close();
      }
    },
    onInterrupt(listener) {
      const signals = ['SIGINT', 'SIGTERM'] as const;
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
  };
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
