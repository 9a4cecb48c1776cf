import { seededRandom } from './seeded-random.ts';

/** Statements that do harm where a guard lets them pass; `OUT` stands for a writable folder. */
const HARMFUL: readonly string[] = [
  "ATTACH 'OUT/attached.db' AS other",
  "ATTACH DATABASE 'OUT/' || 'computed.db' AS other",
  'DETACH main',
  "VACUUM INTO 'OUT/vacuumed.db'",
  "VACUUM main INTO 'OUT/main.db'",
  "VACUUM INTO 'OUT/../beside.db'",
  "ATTACH 'OUT/../beside.db' AS other",
  'VACUUM',
  'REINDEX',
  'ANALYZE',
  'BEGIN EXCLUSIVE',
  'BEGIN',
  'SAVEPOINT s',
  'COMMIT',
  'END',
  'INSERT INTO users VALUES (99, 1, 2, 3, 4)',
  "INSERT OR REPLACE INTO users(id, name) VALUES (1, 'x') RETURNING id",
  "REPLACE INTO users(id, name) VALUES (1, 'x')",
  'UPDATE users SET name = 0 RETURNING *',
  'DELETE FROM users',
  'DELETE FROM orders RETURNING id',
  "INSERT INTO fts(fts) VALUES ('rebuild')",
  'INSERT INTO v VALUES (1)',
  'CREATE TABLE made(a)',
  'CREATE TEMP TABLE made(a)',
  'CREATE TEMP TABLE made AS SELECT 1 a',
  'CREATE TEMP VIEW made AS SELECT 1',
  'CREATE VIRTUAL TABLE made USING fts5(a)',
  'CREATE INDEX made ON users(name)',
  'CREATE TRIGGER made AFTER INSERT ON users BEGIN DELETE FROM orders; END',
  'DROP TABLE users',
  'DROP VIEW v',
  'ALTER TABLE users RENAME TO made',
  'ALTER TABLE users ADD COLUMN made',
  'ALTER TABLE users DROP COLUMN price',
  'PRAGMA user_version = 7',
  'PRAGMA user_version(7)',
  'PRAGMA main.application_id = 9',
  'PRAGMA journal_mode = WAL',
  'PRAGMA journal_mode = OFF',
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA query_only = 1',
  'PRAGMA writable_schema = 1',
  'PRAGMA cache_size = 77',
  'PRAGMA foreign_keys = 0',
  'PRAGMA trusted_schema = 1',
  'PRAGMA recursive_triggers = 0',
  'PRAGMA temp_store = 1',
  'PRAGMA wal_checkpoint(TRUNCATE)',
  'PRAGMA optimize',
  'PRAGMA incremental_vacuum',
  'SELECT * FROM pragma_optimize',
  'SELECT * FROM pragma_journal_mode',
  "SELECT * FROM pragma_cache_size('77')",
  "SELECT * FROM pragma_user_version('7')",
  'SELECT * FROM pragma_wal_checkpoint',
  "SELECT load_extension('OUT/x.so')",
  "SELECT fts3_tokenizer('simple', x'00')",
  "SELECT writefile('OUT/written', 'x')",
  "INSERT INTO sqlite_master VALUES ('table', 'made', 'made', 2, 'CREATE TABLE made(a)')",
  "UPDATE sqlite_schema SET sql = ''",
  "UPDATE fts_config SET v = 9 WHERE k = 'version'",
];
const HARMLESS: readonly string[] = [
  'SELECT * FROM users',
  'SELECT count(*), max(price) FROM users GROUP BY name HAVING count(*) > 0',
  'SELECT u.name, o.total FROM users u LEFT JOIN orders o ON o.user_id = u.id ORDER BY 2',
  'VALUES (1, 2), (3, 4)',
  'SELECT row_number() OVER (ORDER BY id) FROM wide LIMIT 5',
  "SELECT * FROM fts WHERE fts MATCH 'words'",
  'SELECT * FROM v',
  "SELECT * FROM pragma_table_info('users')",
  'SELECT name, sql FROM sqlite_schema',
  'PRAGMA table_info(users)',
  'PRAGMA user_version',
  'PRAGMA integrity_check(1)',
  "SELECT replace('a', 'a', 'b'), printf('%d', 3), x'00ff', 1e99, .5",
  'SELECT EXISTS (SELECT 1 FROM orders), CASE WHEN 1 THEN 2 ELSE 3 END',
  "SELECT json_extract('[1,2]', '$[1]'), value FROM json_each('[1,2]')",
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 9) SELECT x FROM c',
];
const RUNAWAY =
  'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
const BLANKS = [' ', '\n', '\t', '\f', '\v', '\u00a0', '\ufeff', '\0', '/**/', '--\n', '/* ; */'];
const PARTS = /\w+|'[^']*'|\s+|[^\w\s]/g;
const INSERTED = [
  ';',
  '(',
  ')',
  "'",
  '"',
  '`',
  '[',
  ']',
  '--',
  '/*',
  '*/',
  ',',
  '.',
  '?',
  ':a',
  '\0',
];
/** Number of statements of which one never ends. */
const RUNAWAY_EVERY = 5000;

/** Returns a function that makes statements, valid and broken ones, the same for each seed. */
export function randomSql(seed: number, outFolder: string): () => string {
  const random = seededRandom(seed);
  const below = (count: number): number => Math.floor(random() * count);
  const pick = (choices: readonly string[]): string => choices[below(choices.length)] ?? '';
  const wraps: readonly ((sql: string) => string)[] = [
    (sql) => `EXPLAIN ${sql}`,
    (sql) => `EXPLAIN QUERY PLAN ${sql}`,
    (sql) => `WITH x AS (SELECT 1) ${sql}`,
    (sql) => `WITH x AS (${sql}) SELECT * FROM x`,
    (sql) => `SELECT * FROM (${sql})`,
    (sql) => `SELECT (${sql})`,
    (sql) => `${sql}; ${pick(HARMFUL)}`,
    (sql) => `${pick(HARMLESS)}; ${sql}`,
    (sql) => `${pick(HARMLESS)} UNION ALL ${sql}`,
    (sql) => `${pick(BLANKS)}${sql}${pick(BLANKS)};`,
    (sql) => `/* ${pick(HARMLESS)} */ ${sql}`,
    (sql) => `-- ${pick(HARMLESS)}\n${sql}`,
    (sql) => `/*${pick(HARMLESS)}*/${sql}/*`,
  ];
  const mutate = (sql: string): string => {
    const parts: readonly string[] = sql.match(PARTS) ?? [];
    const index = below(parts.length);
    const part = parts[index] ?? '';
    const changes: readonly (() => string)[] = [
      () => '',
      () => part + part,
      () => pick(INSERTED) + part,
      () => pick(BLANKS),
      () => part.toUpperCase(),
      () => (/^\w+$/.test(part) ? `"${part}"` : part),
      () => (/^\w+$/.test(part) ? `[${part}]` : part),
      () => (/^\w+$/.test(part) ? `'${part}'` : part),
      () => pick(pick(HARMFUL).match(PARTS) ?? []),
    ];
    const changed = (changes[below(changes.length)] ?? (() => part))();
    return [...parts.slice(0, index), changed, ...parts.slice(index + 1)].join('');
  };
  return () => {
    if (below(RUNAWAY_EVERY) === 0) return RUNAWAY;
    let sql = pick(below(2) === 0 ? HARMLESS : HARMFUL);
    for (let rounds = below(3); rounds > 0; rounds--)
      sql = (wraps[below(wraps.length)] ?? ((same: string) => same))(sql);
    for (let rounds = below(4); rounds > 1; rounds--) sql = mutate(sql);
    return sql.replaceAll('OUT', outFolder);
  };
}
