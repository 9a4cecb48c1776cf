import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { AskOptions } from './io.ts';

export interface LineReaderOptions {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  /** Called at Ctrl-C while a question is open. */
  readonly onInterrupt: () => void;
}

/** Reads lines from a terminal. A line typed before a question answers it. */
export class LineReader {
  readonly #options: LineReaderOptions;
  /** Complete lines received with the answer to an earlier question. */
  readonly #typedAhead: string[] = [];
  /** Received part of the next line. */
  #begun = '';

  constructor(options: LineReaderOptions) {
    this.#options = options;
  }

  /** Returns the next line, and undefined when aborted and at the end of the input. One question at a time. */
  async ask(
    question: string,
    signal: AbortSignal,
    { isHidden = false }: AskOptions = {},
  ): Promise<string | undefined> {
    const { input, output, onInterrupt } = this.#options;
    const ready = this.#typedAhead.shift();
    if (ready !== undefined) {
      output.write(`${question}${isHidden ? '' : ready}\n`);
      return ready;
    }
    if (isHidden) output.write(question);
    const lines = createInterface({
      input,
      output: isHidden ? silent() : output,
      terminal: output.isTTY,
    });
    lines.on('line', (line) => this.#typedAhead.push(line));
    // readline takes Ctrl-C while a question is open; it must still interrupt the command.
    lines.on('SIGINT', onInterrupt);
    try {
      const answer = await this.#answer(lines, isHidden ? '' : question, signal);
      if (answer === undefined || isHidden) output.write('\n');
      return answer;
    } finally {
      lines.close();
    }
  }

  async #answer(
    lines: Interface,
    question: string,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const ended = new Promise<undefined>((resolve) => {
      lines.once('close', () => resolve(undefined));
    });
    const asked = lines.question(question, { signal });
    if (this.#begun !== '') lines.write(this.#begun);
    this.#begun = '';
    try {
      const answer = await Promise.race([asked, ended]);
      if (answer !== undefined) this.#begun = lines.line;
      return answer;
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }
}

function silent(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
