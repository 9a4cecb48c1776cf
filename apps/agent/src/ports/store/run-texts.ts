/** Reads of the texts in which runs are searched. */
export interface RunTextReader {
  /** Whether `addMissingTexts` has a text to store. */
  lacksTexts(): Promise<boolean>;
}

/** Writes of the texts in which runs are searched. */
export interface RunTextWriter {
  /**
   * Stores the search texts of runs that have none or whose text lacks their outcome, newest first:
   * runs from before the texts existed, and those that a process of an earlier version wrote. Leaves
   * out runs that other transactions have locked. Returns the number of runs.
   */
  addMissingTexts(limit: number): Promise<number>;
}
