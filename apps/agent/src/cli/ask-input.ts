import type { ConfigInput } from '../config/config-inputs.ts';
import { terminalLine } from '../text/terminal-text.ts';
import type { Io } from './io.ts';

/** Returns a function that asks for the value of a configuration input at the terminal. A password is not echoed. */
export function askInput(io: Io): (input: ConfigInput) => Promise<string | undefined> {
  return async ({ id, description, password, options, default: fallback }) => {
    const hints = [
      ...(options === undefined ? [] : [`one of ${options.join(', ')}`]),
      ...(fallback === undefined ? [] : [`Enter takes ${fallback}`]),
    ];
    const label = `${description ?? id}${hints.length === 0 ? '' : ` (${hints.join('; ')})`}`;
    const answer = await io.ask(`${terminalLine(label)}: `, new AbortController().signal, {
      isHidden: password === true,
    });
    return answer === undefined || answer === '' ? undefined : answer;
  };
}
