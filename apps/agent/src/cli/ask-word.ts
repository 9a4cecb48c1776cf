import { terminalLine } from '../text/terminal-text.ts';
import type { Io } from './io.ts';

export interface Words<T> {
  /** Answers by the lower-case words that select them; the empty word is Enter. */
  readonly words: { readonly [word: string]: T };
  readonly signal: AbortSignal;
}

/** Repeats the question until the answer is one of the words. Returns undefined at the end of the input. */
export async function askWord<T>(
  io: Io,
  question: string,
  { words, signal }: Words<T>,
): Promise<T | undefined> {
  for (;;) {
    const word = (await io.ask(question, signal))?.trim().toLowerCase();
    if (word === undefined) return undefined;
    if (Object.hasOwn(words, word)) return words[word];
    const known = Object.keys(words).filter((each) => each !== '');
    io.err(
      `  "${terminalLine(word)}" is not an answer: type ${known.join(', ').replace(/, (?=[^,]*$)/, ' or ')}\n`,
    );
  }
}

/** Repeats the question until the answer is yes or no. Enter and the end of the input mean no. */
export async function askYesNo(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  return (
    (await askWord(io, question, {
      words: { y: true, yes: true, n: false, no: false, '': false },
      signal,
    })) ?? false
  );
}
