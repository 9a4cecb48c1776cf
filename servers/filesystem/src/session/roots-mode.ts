/** How the roots of a client change the allowed directories. */
export type RootsMode = 'narrow' | 'replace' | 'ignore';
