import type { Turns } from './turns.ts';

/** Assigns equal numbers to equal lines, so that two lines are compared in constant time. */
export class LineIds {
  readonly #ids = new Map<string, number>();

  /** @throws what `turns` throws */
  async of(lines: readonly string[], turns: Turns): Promise<Int32Array> {
    const ids = new Int32Array(lines.length);
    for (const [index, line] of lines.entries()) {
      if (index % 1024 === 0 && turns.isOver) await turns.pause();
      let id = this.#ids.get(line);
      if (id === undefined) this.#ids.set(line, (id = this.#ids.size));
      ids[index] = id;
    }
    return ids;
  }
}
