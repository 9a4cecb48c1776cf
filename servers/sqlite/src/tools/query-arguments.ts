/** The schema of a statement that a tool runs or explains. */
export const QUERY_SCHEMA = { type: 'string', maxLength: 1_000_000 } as const;

/** The schema of the parameters of a statement. */
export const PARAMS_SCHEMA = {
  type: ['array', 'object'],
  description: 'As for read_query',
} as const;
