/** Whether an update changed a row. */
export async function changed(query: {
  executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }>;
}): Promise<boolean> {
  return (await query.executeTakeFirst()).numUpdatedRows > 0n;
}
