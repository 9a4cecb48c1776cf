import type { AskOptions, Io } from '../io.ts';

export interface TestIo extends Io {
  readonly written: { out: string; err: string };
  /** The questions that were asked. */
  readonly asked: string[];
}

export interface TestIoOptions extends Partial<
  Pick<Io, 'ask' | 'columns' | 'isTerminal' | 'isOutTerminal'>
> {
  /** The lines that the user types. Default: stdin is not a terminal. */
  readonly typed?: readonly (string | undefined)[] | undefined;
  /** The text of stdin. */
  readonly input?: string;
}

/** A terminal with the input of a test. */
export function testIo({ typed, input = '', ...options }: TestIoOptions = {}): TestIo {
  const written = { out: '', err: '' };
  const asked: string[] = [];
  return {
    written,
    asked,
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
    isTerminal: false,
    isOutTerminal: false,
    canAsk: typed !== undefined || options.ask !== undefined,
    columns: 80,
    ask: (question: string, _signal: AbortSignal, _options?: AskOptions) =>
      Promise.resolve(typed?.[asked.push(question) - 1]),
    readInput: () => Promise.resolve(input),
    onInterrupt: () => () => undefined,
    ...options,
  };
}
