import { text as readText } from 'node:stream/consumers';
import type { Io } from './io.ts';
import type { LineReader } from './line-reader.ts';
import { LossyOutput } from './lossy-output.ts';

export interface ProcessIo extends Io {
  /** Sets the exit code. After an interrupt, ends the process within a second even if its output is not read. */
  finish(exitCode: number): void;
}

/** Time for writing the remaining output after an interrupt. */
const EXIT_GRACE_MS = 1000;

/** Returns the terminal of this process. Text that cannot be written to stderr is lost, and the process continues. */
export function createProcessIo(
  process: NodeJS.Process,
  { onReady }: Pick<Io, 'onReady'> = {},
): ProcessIo {
  const { stdout, stderr } = process;
  const log = new LossyOutput(stderr);
  let reader: Promise<LineReader> | undefined;
  const createReader = async (): Promise<LineReader> => {
    const lineReader = await import('./line-reader.ts');
    return new lineReader.LineReader({
      input: process.stdin,
      output: stderr,
      onInterrupt: () => void process.emit('SIGINT'),
    });
  };
  let heldBack: (() => void)[] | undefined;
  let outputError: NodeJS.ErrnoException | undefined;
  let isInterrupted = false;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A reader such as `head` may close the pipe early.
    if (error.code !== 'EPIPE') outputError = error;
  });
  const write = (output: () => void): void => {
    if (heldBack === undefined) output();
    else heldBack.push(output);
  };
  return {
    ...(onReady === undefined ? {} : { onReady }),
    out: (text) => write(() => stdout.write(text)),
    err: (text) => write(() => log.write(text)),
    losses: () => log.losses,
    isTerminal: stderr.isTTY,
    isOutTerminal: stdout.isTTY,
    // A service never asks, and does without Node's stream of the input.
    get canAsk() {
      return stderr.isTTY && process.stdin.isTTY;
    },
    // A terminal without a known size reports 0.
    columns: (stderr.isTTY && stderr.columns) || 80,
    async ask(question, signal, options) {
      const held: (() => void)[] = [];
      heldBack = held;
      try {
        return await (await (reader ??= createReader())).ask(question, signal, options);
      } finally {
        heldBack = undefined;
        for (const output of held) output();
      }
    },
    readInput: () => readText(process.stdin),
    onInterrupt(listener) {
      const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
      const onSignal = (): void => {
        isInterrupted = true;
        listener();
      };
      for (const signal of signals) process.on(signal, onSignal);
      return () => {
        for (const signal of signals) process.off(signal, onSignal);
      };
    },
    finish(exitCode) {
      if (outputError !== undefined)
        log.write(`signalbox: the output could not be written: ${outputError.message}\n`);
      process.exitCode =
        exitCode === 0 && outputError !== undefined && !isInterrupted ? 1 : exitCode;
      // A pipe that is not read would keep the process alive.
      if (isInterrupted) setTimeout(() => process.exit(), EXIT_GRACE_MS).unref();
    },
  };
}
