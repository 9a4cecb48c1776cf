/** An allowed directory with everything below it, or a single allowed file. */
export interface AllowedDirectory {
  /** Absolute, as it was configured. */
  readonly path: string;
  /** Without symbolic links; permissions compare this path. */
  readonly realPath: string;
  /** Other absolute paths that lead to the same directory. */
  readonly aliases?: readonly string[];
  /** Device and inode, where known: the same directory under another spelling. */
  readonly identity?: string;
}
