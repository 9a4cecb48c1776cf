/** The types of the protocol as the official SDK v2 exports them. */
export type * from '@modelcontextprotocol/client';
