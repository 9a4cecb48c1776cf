/** Error when a file of the console cannot be loaded. Only a new load of the document tries again. */
export class MissingFileError extends Error {
  constructor(cause: unknown) {
    super('The service was updated or cannot be reached. Reload to use its current console.', {
      cause,
    });
    this.name = 'MissingFileError';
  }
}
