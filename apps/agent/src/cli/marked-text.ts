import { terminalText } from '../text/terminal-text.ts';

/** Prefix of every line of a model's text at a terminal; lines of `signalbox run` have none. */
export const TEXT_MARK = '│ ';

/**
 * Prefixes the lines of a text that arrives in parts, and breaks lines that are wider than the terminal, so that no text of a
 * model or a server can look like a line of `signalbox run`.
 */
export class MarkedText {
  readonly #width: number;
  #column = 0;
  #isLineOpen = false;

  constructor(columns: number) {
    this.#width = Math.max(10, columns - TEXT_MARK.length - 1);
  }

  /** Returns the next part with its prefixes and line breaks. */
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

  /** Returns the line break that ends the text, or an empty string when the text ends with one. */
  end(): string {
    const rest = this.#isLineOpen ? '\n' : '';
    this.#isLineOpen = false;
    return rest;
  }
}

/** Breaks a line of `signalbox run` at the width of the terminal and indents its further rows. */
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

/** Returns the largest width of a character in cells. A narrower character only breaks a line early. */
function cellsOf(character: string): number {
  return (character.codePointAt(0) ?? 0) < 0x1100 ? 1 : 2;
}
