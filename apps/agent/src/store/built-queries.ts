import type { Kysely } from 'kysely';
import type { Database } from './database.ts';
import type { Query } from './rows.ts';

/** Maximum number of built queries that are kept, more than the store uses. */
const MAX_QUERIES = 500;

/** Place of a value in a built query. */
class Slot {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

export interface Built {
  readonly parameters: readonly unknown[];
}

/** Queries that are built once for each combination of values that are present; later executions only bind values. */
export class BuiltQueries<B extends Built> {
  /** Builders have different values and rows, and each is stored with its own queries only. */
  readonly #built = new Map<unknown, Map<string, B>>();
  readonly #create: (compiled: { readonly sql: string } & Built) => B;
  #count = 0;

  constructor(create: (compiled: { readonly sql: string } & Built) => B) {
    this.#create = create;
  }

  /** Returns the built query and its parameters with these values. */
  prepare<V extends object>(
    db: Kysely<Database>,
    query: Query<V, unknown>,
    values: V,
  ): readonly [B, unknown[]] {
    const bound: unknown[] = [];
    const shape = flatten(values, bound);
    let shapes = this.#built.get(query);
    if (shapes === undefined) this.#built.set(query, (shapes = new Map<string, B>()));
    let built = shapes.get(shape);
    if (built === undefined) {
      if (this.#count >= MAX_QUERIES) {
        this.clear();
        this.#built.set(query, (shapes = new Map<string, B>()));
      }
      let next = 0;
      const slots = withSlots(values, () => new Slot(next++)) as V;
      built = this.#create(query(db, slots).compile());
      shapes.set(shape, built);
      this.#count += 1;
    }
    return [built, bind(built.parameters, bound)];
  }

  clear(): void {
    this.#built.clear();
    this.#count = 0;
  }
}

/** Creates a row from its values. */
export function record(names: readonly string[], values: readonly unknown[]): object {
  const row: { [name: string]: unknown } = {};
  for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
  return row;
}

export function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
}

/** Collects the values of a query and returns its shape: the names, and the lengths of lists. */
function flatten(value: unknown, into: unknown[]): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) {
    let shape = '[';
    for (const element of value) shape += `${flatten(element, into)},`;
    return `${shape}]`;
  }
  if (!isNested(value)) {
    into.push(value);
    return '?';
  }
  let shape = '{';
  for (const name in value) shape += `${name}:${flatten(value[name], into)},`;
  return `${shape}}`;
}

/** Replaces values by slots, in the order of `flatten`. */
function withSlots(value: unknown, newSlot: () => Slot): unknown {
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.map((element) => withSlots(element, newSlot));
  if (!isNested(value)) return newSlot();
  const slots: { [name: string]: unknown } = {};
  for (const name in value) slots[name] = withSlots(value[name], newSlot);
  return slots;
}

function isNested(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function bind(parameters: readonly unknown[], values: readonly unknown[]): unknown[] {
  return parameters.map((parameter) =>
    parameter instanceof Slot ? values[parameter.index] : parameter,
  );
}
