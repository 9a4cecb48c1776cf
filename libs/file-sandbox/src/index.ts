export {
  entryStats,
  makeDirectory,
  makeSymbolicLink,
  placePath,
  readSymbolicLink,
  removeDirectory,
  removeFile,
} from './entries/entry-changes.ts';
export type { Place } from './entries/entry-changes.ts';
export { moveEntry } from './entries/move-entry.ts';
export {
  maxTreeDepth,
  requireDepth,
  requireSameFileSystem,
  TreeRemoval,
} from './entries/remove-tree.ts';
export type { TreeRun } from './entries/remove-tree.ts';
export { FileLocks } from './lock/file-locks.ts';
export { ProcessLocks } from './lock/process-lock.ts';
export type { ProcessLocksOptions, TryLock } from './lock/process-lock.ts';
export { nodeCrypto } from './node-crypto.ts';
export { chooseOpener, NoKernelHandlesError, usableOpeners } from './opener/choose-opener.ts';
export type { ChooseOpenerOptions } from './opener/choose-opener.ts';
export { hasKernelHandles, kernelHandleOpener } from './opener/kernel-handle-opener.ts';
export type { Opener, PinnedPath, PinOptions } from './opener/pinned-path.ts';
export { isInside } from './path/is-inside.ts';
export { deniedError, errorCode, PathError, toPathError } from './path/path-error.ts';
export type { PathErrorReason } from './path/path-error.ts';
export { escapeMarks, shownName } from './path/shown-name.ts';
export { findAllowedDirectories } from './sandbox/allowed-directories.ts';
export type { FoundDirectories } from './sandbox/allowed-directories.ts';
export type { AllowedDirectory } from './sandbox/allowed-directory.ts';
export type { NearestDirectory } from './sandbox/path-lookup.ts';
export { pinDirectory } from './sandbox/pin-directory.ts';
export { createSandboxBase } from './sandbox/sandbox-base.ts';
export type { DenyList, SandboxBase, SandboxBaseOptions } from './sandbox/sandbox-base.ts';
export { Sandbox } from './sandbox/sandbox.ts';
export type { ExistingEntry, PlaceOptions, SandboxSource } from './sandbox/sandbox.ts';
export { hashOf, hashOfFile } from './write/file-hash.ts';
export type { HashFileOptions } from './write/file-hash.ts';
export { TargetChangedError, withFileTarget } from './write/file-target.ts';
export type { FileTarget, FileTargetOptions } from './write/file-target.ts';
export { requireRegularFile } from './write/require-regular-file.ts';
export { sweepAround } from './write/sweep-leftovers.ts';
export { temporaryName } from './write/temporary-file.ts';
export { writeAtomically, writeTarget } from './write/write-atomically.ts';
export type { TargetWrite, WriteOptions, WrittenFile } from './write/write-atomically.ts';
export { writeStreamed } from './write/write-streamed.ts';
export type { StreamedFile, StreamedWriteOptions } from './write/write-streamed.ts';
