/** The owners of the singleton servers: the workers that are connected to them for all workers. */
export interface ServerOwners {
  /** Returns the owners by server. Servers whose owner has ended are left out. */
  owners(): Promise<ReadonlyMap<string, string>>;
  /**
   * Makes a worker the owner of a server, unless a worker that has not ended owns it. Returns the
   * owner afterwards: of several workers that claim at once all get the same. Returns undefined, and
   * changes nothing, when the server has no owner and the worker has ended.
   */
  claim(server: string, workerId: string): Promise<string | undefined>;
}
