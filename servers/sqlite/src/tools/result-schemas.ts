/** The schema of the columns of returned rows. */
export const columnsSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: { name: { type: 'string' }, type: { type: 'string' } },
  },
} as const;

/** The schema of returned rows, in the order of the columns. */
export const rowsSchema = { type: 'array', items: { type: 'array' } } as const;

/** The fields of the result of a statement that changes rows. */
export const changeFields = {
  affectedRows: { type: 'integer' },
  lastInsertRowid: { type: ['integer', 'string'] },
  rows: { ...rowsSchema, description: 'Of RETURNING, as of read_query' },
} as const;

/** The created, changed or dropped object of a statement. */
export const objectField = {
  object: {
    type: 'object',
    properties: { type: { type: 'string' }, name: { type: 'string' } },
    required: ['type', 'name'],
    additionalProperties: false,
  },
} as const;

/** The fields of an error that carries a confirm token. */
export const confirmationFields = {
  confirmToken: { type: 'string' },
  impact: { type: 'string' },
} as const;
