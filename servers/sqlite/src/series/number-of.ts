/**
 * Returns the number of a cell of a query result; large integers lose digits. `undefined` for text,
 * blobs and values that were cut; `null` for NULL and infinities.
 */
export function numberOf(cell: unknown): number | null | undefined {
  if (cell === null || cell === 'Infinity' || cell === '-Infinity') return null;
  if (typeof cell === 'number') return cell;
  const digits = typeof cell === 'object' && '$int64' in cell ? cell.$int64 : cell;
  return typeof digits === 'string' && /^-?\d{16,19}$/.test(digits) ? Number(digits) : undefined;
}
