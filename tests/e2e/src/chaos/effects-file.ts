import { closeSync, existsSync, openSync, readSync } from 'node:fs';

/** The file to which the servers append a line for each effect. It is read as far as it has grown. */
export class EffectsFile {
  readonly #path: string;
  readonly #counts = new Map<string, number>();
  readonly #buffer = Buffer.alloc(65_536);
  #offset = 0;
  #rest = '';
  #count = 0;
  #lastWriter: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Number of effects so far. */
  get count(): number {
    this.#read();
    return this.#count;
  }

  /** Process of the worker that made the last effect, if that was an effect of a write. */
  get lastWriter(): number | undefined {
    this.#read();
    return this.#lastWriter;
  }

  /** Returns the number of effects of a call, which `RUN TURN` names. */
  of(call: string): number {
    this.#read();
    return this.#counts.get(call) ?? 0;
  }

  #read(): void {
    if (!existsSync(this.#path)) return;
    const file = openSync(this.#path, 'r');
    try {
      for (;;) {
        const length = readSync(file, this.#buffer, 0, this.#buffer.length, this.#offset);
        if (length === 0) return;
        this.#offset += length;
        const lines = (this.#rest + this.#buffer.toString('latin1', 0, length)).split('\n');
        this.#rest = lines.pop() ?? '';
        for (const line of lines) this.#add(line);
      }
    } finally {
      closeSync(file);
    }
  }

  #add(line: string): void {
    const [run, turn, tool, pid] = line.split(' ');
    const call = `${run} ${turn}`;
    this.#counts.set(call, (this.#counts.get(call) ?? 0) + 1);
    this.#count += 1;
    this.#lastWriter = tool === 'append' ? Number(pid) : undefined;
  }
}
