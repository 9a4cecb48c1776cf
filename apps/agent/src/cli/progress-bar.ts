import { terminalLine } from '../text/terminal-text.ts';
import type { Io } from './io.ts';

export interface ProgressUpdate {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string | undefined;
}

const WIDTH = 24;

/** Progress as a line that is redrawn on a terminal. Elsewhere prints a line for each tenth of a known total, and for the first update without a total. */
export class ProgressBar {
  readonly #io: Io;
  #isDrawn = false;
  #lastStep = new Map<string, number>();

  constructor(io: Io) {
    this.#io = io;
  }

  draw(name: string, update: ProgressUpdate): void {
    const line = `  ${bar(update)} ${terminalLine(`${name} ${update.message ?? countOf(update)}`.trimEnd())}`;
    if (this.#io.isTerminal) {
      this.#io.err(`\r\u001b[K${line.slice(0, this.#io.columns - 1)}`);
      this.#isDrawn = true;
      return;
    }
    const step = update.total === undefined ? 0 : Math.floor((update.progress / update.total) * 10);
    if (this.#lastStep.get(name) === step) return;
    this.#lastStep.set(name, step);
    this.#io.err(`${line}\n`);
  }

  /** Clears the redrawn line before other output. */
  clear(): void {
    if (this.#isDrawn) this.#io.err('\r\u001b[K');
    this.#isDrawn = false;
  }
}

function bar({ progress, total }: ProgressUpdate): string {
  if (total === undefined || total <= 0) return '…';
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * WIDTH);
  return `[${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)}%`;
}

/** Returns the text of progress without a message: the number, when no bar shows it. */
function countOf({ progress, total }: ProgressUpdate): string {
  return total === undefined || total <= 0 ? `${progress}` : '';
}
