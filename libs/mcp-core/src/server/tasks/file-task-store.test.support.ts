import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TaskStatus } from '../../protocol/tasks.ts';
import type { TaskPage, TaskRecord, TaskStore } from './task-store.ts';

const PAGE = 100;

/** A store with a JSON file per task, named by the order of creation and the task id. Calls run one after the other. */
export class FileTaskStore implements TaskStore {
  readonly #folder: string;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  create(record: TaskRecord): Promise<void> {
    return this.#inTurn(async () => {
      if ((await this.#find(record.taskId)) !== undefined) throw new Error('The id is taken');
      this.#count += 1;
      await this.#write(
        `${String(Date.now())}-${String(this.#count).padStart(9, '0')}.${record.taskId}.json`,
        record,
      );
    });
  }

  get(taskId: string): Promise<TaskRecord | undefined> {
    return this.#inTurn(async () => {
      const file = await this.#find(taskId);
      return file === undefined ? undefined : this.#read(file);
    });
  }

  update(record: TaskRecord, expected: TaskStatus): Promise<boolean> {
    return this.#inTurn(async () => {
      const file = await this.#find(record.taskId);
      if (file === undefined || (await this.#read(file)).status !== expected) return false;
      await this.#write(file, record);
      return true;
    });
  }

  delete(taskId: string): Promise<void> {
    return this.#inTurn(async () => {
      const file = await this.#find(taskId);
      if (file !== undefined) await rm(join(this.#folder, file));
    });
  }

  list(principal: string, cursor?: string): Promise<TaskPage | undefined> {
    return this.#inTurn(async () => {
      const files = await this.#files();
      if (cursor !== undefined && !files.includes(cursor)) return undefined;
      const records: TaskRecord[] = [];
      let nextCursor = '';
      for (const file of files) {
        if (cursor !== undefined && file <= cursor) continue;
        const record = await this.#read(file);
        if (record.principal !== principal) continue;
        if (records.length === PAGE) return { records, nextCursor };
        records.push(record);
        nextCursor = file;
      }
      return { records };
    });
  }

  async *all(): AsyncIterable<TaskRecord> {
    for (const file of await this.#files()) yield this.#read(file);
  }

  async #find(taskId: string): Promise<string | undefined> {
    return (await this.#files()).find((file) => file.endsWith(`.${taskId}.json`));
  }

  async #files(): Promise<readonly string[]> {
    await mkdir(this.#folder, { recursive: true });
    return (await readdir(this.#folder)).filter((file) => file.endsWith('.json')).toSorted();
  }

  async #read(file: string): Promise<TaskRecord> {
    return JSON.parse(await readFile(join(this.#folder, file), 'utf8')) as TaskRecord;
  }

  /** A reader sees the old record or the new one. */
  async #write(file: string, record: TaskRecord): Promise<void> {
    await writeFile(join(this.#folder, `${file}.new`), JSON.stringify(record));
    await rename(join(this.#folder, `${file}.new`), join(this.#folder, file));
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run, run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}
