import { terminalText } from '../terminal-text.ts';

/** Begins every line of a model's text at a terminal, where lines of `signalbox run` begin at the edge. */
export const TEXT_MARK = '│ ';

/**
 * Marks the lines of a text that comes in parts, and breaks those that are wider than the terminal: no line of a model or a
 * server begins at the edge, where it could look like a line of ours.
 */
export class MarkedText {
  readonly #width: number;
  #column = 0;
  #isLineOpen = false;

  constructor(columns: number) {
    this.#width = Math.max(10, columns - TEXT_MARK.length - 1);
  }

  /** Returns the next part as it goes to the terminal. */
  add(text: string): string {
    let marked = '';
    for (const character of terminalText(text)) {
      if (character === '\n') {
        marked += this.#isLineOpen ? '\n' : `${TEXT_MARK}\n`;
        this.#isLineOpen = false;
        continue;
      }
      const cells = character === '\t' ? 8 : cellsOf(character);
      if (this.#isLineOpen && this.#column + cells > this.#width) {
        marked += '\n';
        this.#isLineOpen = false;
      }
      if (!this.#isLineOpen) {
        marked += TEXT_MARK;
        this.#column = 0;
        this.#isLineOpen = true;
      }
      this.#column += cells;
      marked += character;
    }
    return marked;
  }

  /** Returns what ends the text: a line break, unless there is one. */
  end(): string {
    const rest = this.#isLineOpen ? '\n' : '';
    this.#isLineOpen = false;
    return rest;
  }
}

/** Breaks a line of ours at the width of the terminal; further rows are indented. */
export function wrapLine(line: string, columns: number): string {
  const rows: string[] = [];
  let row = '';
  let column = 0;
  for (const character of line) {
    const cells = cellsOf(character);
    if (column + cells >= columns) {
      rows.push(row);
      row = '    ';
      column = row.length;
    }
    row += character;
    column += cells;
  }
  return [...rows, row].join('\n');
}

/** No character is wider than this many cells; one that is narrower only breaks a line early. */
function cellsOf(character: string): number {
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}
