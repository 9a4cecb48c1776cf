export { afterCreateFile } from './after-create-file.ts';
export { bound } from './bound.ts';
export { startSwapper } from './start-swapper.ts';
export type { Swapper } from './start-swapper.ts';
export { createManyEntries, createTemporaryFolders } from './temporary-folders.ts';
export type { FolderContents, TemporaryFolders } from './temporary-folders.ts';
