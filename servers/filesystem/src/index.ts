export { createFilesystemServer, NoUsableDirectoryError } from './create-filesystem-server.ts';
export type { FilesystemServer, FilesystemServerOptions } from './create-filesystem-server.ts';
export type { Limits } from './files/limits.ts';
export type { RootsMode } from './session/roots-mode.ts';
