/** The schema of a statement that a tool runs or explains. */
export const QUERY_SCHEMA = {
  type: 'string',
  maxLength: 1_000_000,
  description: 'One reading SQL statement',
} as const;

/** The schema of a statement that changes something. */
export const WRITE_SCHEMA = { ...QUERY_SCHEMA, description: 'One SQL statement' } as const;

/** The schema of the parameters of a statement. */
export const PARAMS_SCHEMA = {
  description: 'As for read_query',
  anyOf: [{ type: 'array' }, { type: 'object' }],
} as const;
