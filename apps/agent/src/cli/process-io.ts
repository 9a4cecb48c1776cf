import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';
import { LossyOutput } from './lossy-output.ts';

export interface ProcessIo extends Io {
  /** Sets the exit code. Ends the process within a second after an interrupt, even if nobody reads its output. */
  finish(exitCode: number): void;
}

/** Time for output that is still waiting for a reader after an interrupt. */
const EXIT_GRACE_MS = 1000;

/** The terminal of this process. Text that cannot be written to stderr is lost, and the process continues. */
export function createProcessIo(process: NodeJS.Process): ProcessIo {
  const terminal = { input: process.stdin, output: process.stdout };
  const log = new LossyOutput(process.stderr);
  let heldBack: string[] | undefined;
  let outputError: NodeJS.ErrnoException | undefined;
  let isInterrupted = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may leave before the end.
    if (error.code !== 'EPIPE') outputError = error;
  });
  return {
    out: (text) => void (heldBack?.push(text) ?? process.stdout.write(text)),
    err: (text) => log.write(text),
    losses: () => log.losses,
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
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
      const hear = (): void => {
        isInterrupted = true;
        listener();
      };
      for (const signal of signals) process.on(signal, hear);
      return () => {
        for (const signal of signals) process.off(signal, hear);
      };
    },
    finish(exitCode) {
      if (outputError !== undefined) log.write(`signalbox: the output could not be written: ${outputError.message}\n`);
      process.exitCode = exitCode === 0 && outputError !== undefined && !isInterrupted ? 1 : exitCode;
      // A pipe that nobody empties would keep the process alive.
      if (isInterrupted) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
    },
  };
}
