/** Protocol types exported by the official SDK v2. */
export type * from '@modelcontextprotocol/client';
