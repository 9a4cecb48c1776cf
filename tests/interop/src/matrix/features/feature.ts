import type { OpenCell } from '../cell.ts';

/** Passes when the client and the server of the cell agree on it. */
export type Feature = (cell: OpenCell) => Promise<void>;
