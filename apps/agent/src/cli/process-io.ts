import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** The terminal of this process. Where nobody reads any more, what is written is lost and the process goes on. */
export function createProcessIo(process: NodeJS.Process): Io {
  const terminal = { input: process.stdin, output: process.stdout };
  let heldBack: string[] | undefined;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    out: (text) => void (heldBack?.push(text) ?? process.stdout.write(text)),
    err: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY,
    canAsk: process.stdin.isTTY && process.stdout.isTTY,
    // A terminal that was never told its size says 0.
    columns: (process.stdout.isTTY && process.stdout.columns) || 80,
    async ask(question, signal) {
      const lines = createInterface(terminal);
      // Ctrl-C while a question is open means what it means elsewhere.
      lines.on('SIGINT', () => process.emit('SIGINT'));
      const ended = new Promise<undefined>((resolve) => {
        lines.once('close', () => resolve(undefined));
      });
      const texts: string[] = [];
      heldBack = texts;
      try {
        const answer = await Promise.race([lines.question(question, { signal }), ended]);
        if (answer === undefined) process.stdout.write('\n');
        return answer;
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      } finally {
        lines.close();
        heldBack = undefined;
        process.stdout.write(texts.join(''));
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
