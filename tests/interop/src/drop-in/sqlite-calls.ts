/** A call of the reference server, with its recorded answer and ours. */
export interface SqliteCall {
  readonly tool: string;
  readonly args: { readonly [name: string]: unknown };
  /** The text of the reference server. */
  readonly theirs: string;
  /** Our answer where it does not have the same content. */
  readonly ours?: { readonly isError: boolean; readonly text: RegExp };
  /** Start of the row about the difference in the README; an error with the same cause needs none. */
  readonly row?: string;
}

/** The database of both servers. */
export const schema = `CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, big INT, photo BLOB);
  INSERT INTO users VALUES (1, 'Ada', 9007199254740993, x'00ff'), (2, 'Grace', NULL, NULL);
  CREATE TABLE orders(id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER REFERENCES users, total REAL);
  INSERT INTO orders VALUES (1, 1, 9.5);
  CREATE VIEW names AS SELECT name FROM users;`;

/** The tools of the reference server with their arguments, and which of them are required. */
export const tools: readonly (readonly [
  name: string,
  args: readonly string[],
  required: readonly string[],
])[] = [
  ['read_query', ['query'], ['query']],
  ['write_query', ['query'], ['query']],
  ['create_table', ['query'], ['query']],
  ['list_tables', [], []],
  ['describe_table', ['table_name'], ['table_name']],
  ['append_insight', ['insight'], ['insight']],
];

/** The memo of the reference server after all calls. */
export const memo =
  '📊 Business Intelligence Memo 📊\n\nKey Insights Discovered:\n\n- Ada buys most\n- Grace buys nothing\nSummary:\nAnalysis has revealed 2 key business insights that suggest opportunities for strategic optimization and growth.';

/**
 * Calls of every tool, one after the other. The answers of the reference server were recorded from
 * `src/sqlite/src/mcp_server_sqlite/server.py` of `modelcontextprotocol/servers` before commit
 * d53d6cc7, which archived it, with Python 3.11 and stubs in place of the SDK.
 */
export const calls: readonly SqliteCall[] = [
  {
    tool: 'read_query',
    args: { query: 'SELECT id, name FROM users ORDER BY id' },
    theirs: "[{'id': 1, 'name': 'Ada'}, {'id': 2, 'name': 'Grace'}]",
  },
  {
    tool: 'read_query',
    args: { query: 'SELECT big, photo FROM users WHERE id = 1' },
    theirs: String.raw`[{'big': 9007199254740993, 'photo': b'\x00\xff'}]`,
    ours: { isError: false, text: /\["9007199254740993",\{"\$blob":"AP8=","bytes":2\}\]/ },
    row: 'Large integers and BLOBs',
  },
  {
    tool: 'read_query',
    args: { query: 'SELECT 1 AS a, 2 AS a' },
    theirs: "[{'a': 1}]",
    ours: { isError: false, text: /"rows":\[\[1,2\]\]/ },
    row: 'Columns with the same name',
  },
  {
    tool: 'read_query',
    args: { query: 'SELECT name FROM users WHERE id > 5' },
    theirs: '[]',
  },
  {
    tool: 'read_query',
    args: { query: 'WITH q AS (SELECT 1 AS z) SELECT * FROM q' },
    theirs: 'Error: Only SELECT queries are allowed for read_query',
    ours: { isError: false, text: /"rows":\[\[1\]\]/ },
    row: '`WITH`, `VALUES`',
  },
  {
    tool: 'read_query',
    args: { query: '-- all\nSELECT 1 AS one' },
    theirs: 'Error: Only SELECT queries are allowed for read_query',
    ours: { isError: false, text: /"rows":\[\[1\]\]/ },
    row: '`WITH`, `VALUES`',
  },
  {
    tool: 'read_query',
    args: { query: "INSERT INTO users(name) VALUES ('x')" },
    theirs: 'Error: Only SELECT queries are allowed for read_query',
    ours: { isError: true, text: /^INSERT is not allowed/ },
  },
  {
    tool: 'read_query',
    args: { query: 'SELECT nope FROM users' },
    theirs: 'Database error: no such column: nope',
    ours: { isError: true, text: /no such column: nope\. Existing columns: users\.id/ },
  },
  {
    tool: 'list_tables',
    args: {},
    theirs: "[{'name': 'users'}, {'name': 'orders'}, {'name': 'sqlite_sequence'}]",
    ours: { isError: false, text: /"name":"orders".*"name":"users"(?!.*sqlite_sequence)/ },
    row: '`list_tables`',
  },
  {
    tool: 'describe_table',
    args: { table_name: 'users' },
    theirs:
      "[{'cid': 0, 'name': 'id', 'type': 'INTEGER', 'notnull': 0, 'dflt_value': None, 'pk': 1}, {'cid': 1, 'name': 'name', 'type': 'TEXT', 'notnull': 1, 'dflt_value': None, 'pk': 0}, {'cid': 2, 'name': 'big', 'type': 'INT', 'notnull': 0, 'dflt_value': None, 'pk': 0}, {'cid': 3, 'name': 'photo', 'type': 'BLOB', 'notnull': 0, 'dflt_value': None, 'pk': 0}]",
  },
  {
    tool: 'describe_table',
    args: { table_name: 'nope' },
    theirs: '[]',
    ours: { isError: true, text: /no table or view "nope"\. Existing: / },
    row: 'A table that does not exist',
  },
  {
    tool: 'create_table',
    args: { query: 'CREATE TABLE items(id INTEGER PRIMARY KEY, label TEXT)' },
    theirs: 'Table created successfully',
    ours: { isError: false, text: /"table":"items"/ },
    row: 'Form of the answers',
  },
  {
    tool: 'create_table',
    args: { query: 'CREATE TABLE items(id INTEGER)' },
    theirs: 'Database error: table items already exists',
    ours: { isError: true, text: /table items already exists/ },
  },
  {
    tool: 'create_table',
    args: { query: 'DROP TABLE users' },
    theirs: 'Error: Only CREATE TABLE statements are allowed',
    ours: { isError: true, text: /CREATE TABLE/ },
  },
  {
    tool: 'write_query',
    args: { query: "INSERT INTO items(label) VALUES ('a'), ('b'), ('c')" },
    theirs: "[{'affected_rows': 3}]",
  },
  {
    tool: 'write_query',
    args: { query: "UPDATE items SET label = 'z' WHERE id < 3" },
    theirs: "[{'affected_rows': 2}]",
  },
  {
    tool: 'write_query',
    args: { query: 'DELETE FROM items WHERE id = 3' },
    theirs: "[{'affected_rows': 1}]",
  },
  {
    tool: 'write_query',
    args: { query: 'DELETE FROM items' },
    theirs: "[{'affected_rows': 2}]",
    ours: { isError: true, text: /confirmToken/ },
    row: '`UPDATE` and `DELETE` of all rows',
  },
  {
    tool: 'write_query',
    args: { query: "REPLACE INTO users(id, name) VALUES (2, 'Joan')" },
    theirs: '[]',
    ours: { isError: false, text: /"affectedRows":1/ },
    row: '`REPLACE`',
  },
  {
    tool: 'read_query',
    args: { query: 'SELECT name FROM users WHERE id = 2' },
    theirs: "[{'name': 'Grace'}]",
    ours: { isError: false, text: /\[\["Joan"\]\]/ },
    row: '`REPLACE`',
  },
  {
    tool: 'write_query',
    args: { query: 'INSERT INTO orders(user_id, total) VALUES (99, 1)' },
    theirs: "[{'affected_rows': 1}]",
    ours: { isError: true, text: /FOREIGN KEY constraint failed/ },
    row: 'Foreign keys',
  },
  {
    tool: 'write_query',
    args: { query: 'SELECT 1' },
    theirs: 'Error: SELECT queries are not allowed for write_query',
    ours: { isError: true, text: /SELECT/ },
  },
  {
    tool: 'write_query',
    args: { query: 'INSERT INTO users(name) VALUES (NULL)' },
    theirs: 'Database error: NOT NULL constraint failed: users.name',
    ours: { isError: true, text: /NOT NULL constraint failed: users\.name/ },
  },
  {
    tool: 'write_query',
    args: { query: 'DROP TABLE orders' },
    theirs: "[{'affected_rows': -1}]",
    ours: { isError: true, text: /alter_schema/ },
    row: '`CREATE`, `ALTER` and `DROP` in `write_query`',
  },
  {
    tool: 'append_insight',
    args: { insight: 'Ada buys most' },
    theirs: 'Insight added to memo',
  },
  {
    tool: 'append_insight',
    args: { insight: 'Grace buys nothing' },
    theirs: 'Insight added to memo',
  },
  {
    tool: 'no_such_tool',
    args: { x: 1 },
    theirs: 'Error: Unknown tool: no_such_tool',
    ours: { isError: true, text: /-32602.*no_such_tool|no_such_tool.*-32602/ },
    row: 'An unknown tool',
  },
];
