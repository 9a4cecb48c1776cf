import { DatabaseError, Query, type Connection } from 'pg';

/** A statement of the extended query protocol with its values. */
export interface Statement {
  /** Under this name a connection prepares the statement once. Without one it is not kept. */
  readonly name?: string | undefined;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

export interface StatementResult<R> {
  readonly rows: readonly R[];
  /** Number of rows that the statement returned or changed. */
  readonly rowCount: number;
  /** First word of the command that the server executed, for example `COMMIT`. */
  readonly command: string;
}

/** A column of a result: the name of its property, and its conversion. */
interface Column {
  readonly name: string;
  readonly parse: (value: string) => unknown;
}

/** A statement that a connection has prepared. */
interface PreparedStatement {
  /** Absent until the server has described the result; empty when there is none. */
  columns?: readonly Column[];
}

/** Names of the statements that a connection has prepared. */
export class PreparedStatements {
  readonly #known = new Map<string, PreparedStatement>();
  /** Statements of failed batches: the server may have prepared them. */
  readonly #uncertain = new Set<string>();

  get(name: string): PreparedStatement | undefined {
    return this.#known.get(name);
  }

  add(name: string, statement: PreparedStatement): void {
    this.#known.set(name, statement);
  }

  /** Notes that it is unknown whether a statement was prepared. */
  doubt(name: string): void {
    this.#known.delete(name);
    this.#uncertain.add(name);
  }

  /** Returns whether a statement must be closed before it can be prepared. */
  takeDoubt(name: string): boolean {
    return this.#uncertain.delete(name);
  }
}

/** Rejects a statement that the server did not execute, because one before it in its batch failed. */
export class SkippedError extends Error {}

/** A statement that waits for its result. */
export interface WaitingStatement {
  readonly statement: Statement;
  readonly resolve: (result: StatementResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** State of a statement on the wire. */
interface SentStatement extends WaitingStatement {
  readonly prepared: PreparedStatement;
  /** Whether this batch prepares it. */
  readonly isNew: boolean;
  readonly rows: unknown[];
  tag: string;
}

interface BatchOptions {
  readonly known: PreparedStatements;
  /** Returns the conversion of a type by its number. */
  readonly parserOf: (type: number) => (value: string) => unknown;
  /** Returns the name of the property of a column. */
  readonly nameOf: (column: string) => string;
}

/** The part of a connection of pg that sends messages, with the parameters that it uses. */
interface Wire {
  readonly parse: (statement: { readonly name: string; readonly text: string }) => void;
  readonly bind: (options: {
    readonly statement: string;
    readonly values: readonly unknown[];
  }) => void;
  readonly describe: (object: { readonly type: 'P'; readonly name: string }) => void;
  readonly execute: (options: object) => void;
  readonly close: (object: { readonly type: 'S'; readonly name: string }) => void;
  readonly sync: () => void;
}

/**
 * Statements that are sent and answered together. For each query of its own, pg asks for the
 * description of the columns again, and the server sends the answer in a system call of its own.
 * When a statement fails, the server skips those after it.
 * @see https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING
 */
export class Batch extends Query {
  /** Set by pg when the time of a query is limited. */
  declare callback?: (error: unknown) => void;
  readonly #options: BatchOptions;
  readonly #waiting: readonly WaitingStatement[];
  #sent: readonly SentStatement[] = [];
  /** Index of the statement whose result arrives. */
  #current = 0;
  #isOver = false;

  constructor(waiting: readonly WaitingStatement[], options: BatchOptions) {
    super('');
    this.#waiting = waiting;
    this.#options = options;
  }

  // A declared property of pg, so it is no method.
  override submit = (connection: Connection): unknown => {
    // The declared parameters of a connection are those of an earlier version.
    const wire = connection as unknown as Wire;
    try {
      this.#sent = this.#waiting.map((waiting) => this.#send(wire, waiting));
      wire.sync();
      return undefined;
    } catch (error) {
      // The server has a part of the batch.
      connection.stream.destroy();
      return error;
    }
  };

  #send(wire: Wire, waiting: WaitingStatement): SentStatement {
    const { known } = this.#options;
    const { name = '', text, values } = waiting.statement;
    const present = name === '' ? undefined : known.get(name);
    const prepared = present ?? {};
    if (present === undefined) {
      if (name !== '' && known.takeDoubt(name)) wire.close({ type: 'S', name });
      wire.parse({ name, text });
      if (name !== '') known.add(name, prepared);
    }
    wire.bind({ statement: name, values });
    if (present === undefined) wire.describe({ type: 'P', name: '' });
    wire.execute({});
    return { ...waiting, prepared, isNew: present === undefined, rows: [], tag: '' };
  }

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }): void {
    const { parserOf, nameOf } = this.#options;
    const sent = this.#sent[this.#current];
    if (sent === undefined) return;
    sent.prepared.columns = fields.map(({ name, dataTypeID }) => ({
      name: nameOf(name),
      parse: parserOf(dataTypeID),
    }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const sent = this.#sent[this.#current];
    const { columns = [] } = sent?.prepared ?? {};
    const row: { [name: string]: unknown } = {};
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index];
      const value = fields[index] ?? null;
      if (column !== undefined) row[column.name] = value === null ? null : column.parse(value);
    }
    sent?.rows.push(row);
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const sent = this.#sent[this.#current];
    if (sent !== undefined) sent.tag = text;
    this.#current += 1;
  }

  handleEmptyQuery(): void {
    this.#current += 1;
  }

  handleError(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const [index, { reject, isNew, statement }] of this.#sent.entries()) {
      if (index < this.#current) continue;
      if (isNew && statement.name !== undefined) this.#options.known.doubt(statement.name);
      const isSkipped = error instanceof DatabaseError && index > this.#current;
      reject(isSkipped ? new SkippedError(error.message, { cause: error }) : error);
    }
    this.#answer(this.#current);
    // Not sent, because the connection had ended.
    if (this.#sent.length === 0) for (const { reject } of this.#waiting) reject(error);
    this.callback?.(error);
  }

  handleReadyForQuery(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#answer(this.#sent.length);
    this.callback?.(null);
  }

  /** Resolves the first statements. */
  #answer(count: number): void {
    for (const { resolve, rows, tag } of this.#sent.slice(0, count)) {
      const [command = ''] = tag.split(' ', 1);
      resolve({ rows, command, rowCount: Number(/\d+$/u.exec(tag)?.[0] ?? 0) });
    }
  }
}
