/** The schema of a statement that a tool runs or explains. */
export const QUERY_SCHEMA = {
  type: 'string',
  maxLength: 1_000_000,
  description: 'One reading SQL statement',
} as const;

/** The schema of its parameters. */
export const PARAMS_SCHEMA = {
  description: 'As for read_query',
  anyOf: [{ type: 'array' }, { type: 'object' }],
} as const;
