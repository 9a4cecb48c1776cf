/** Migrations by name. `db` is Kysely's database. */
export interface Migrations {
  readonly [name: string]: { up(db: unknown): Promise<void> };
}
