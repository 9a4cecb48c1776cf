import type { OpenCell } from '../cell.ts';

/** A check that passes when the client and the server of the cell agree. */
export type Feature = (cell: OpenCell) => Promise<void>;
