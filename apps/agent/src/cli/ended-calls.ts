import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../ports/logger.ts';

/** Milliseconds until a server has written the line about a call that has ended. */
const LIMIT_MS = 5000;

/** The lines about ended tool calls that the demo servers write with `--log-level debug`. */
export class EndedCalls {
  readonly #lines: string[] = [];

  /** Returns the logger, which also collects the lines from now on. */
  collect(logger: Logger): Logger {
    return {
      ...logger,
      debug: (message, fields) => {
        const at = message.search(/\btool=\S+ outcome=/);
        if (at >= 0) this.#lines.push(message.slice(at));
        logger.debug(message, fields);
      },
    };
  }

  /** Resolves with the first line that begins with the text; with undefined after five seconds. */
  async find(start: string): Promise<string | undefined> {
    for (const end = Date.now() + LIMIT_MS; Date.now() < end; await delay(20)) {
      const line = this.#lines.find((each) => each.startsWith(start));
      if (line !== undefined) return line;
    }
    return undefined;
  }
}
