import { guardStalls } from './guard-stalls.ts';
import { hasKernelHandles, kernelHandleOpener } from './kernel-handle-opener.ts';
import { createNoFollowOpener, hasNoFollowAny } from './no-follow-opener.ts';
import type { Opener } from './pinned-path.ts';
import { recheckOpener } from './recheck-opener.ts';

/** Settings for the choice of an opener. */
export interface ChooseOpenerOptions {
  /**
   * Whether to accept, on a Linux without `/proc`, paths that are only checked before and after
   * use; default false.
   */
  readonly allowRecheck?: boolean | undefined;
  /** Default: the platform of this process. */
  readonly platform?: NodeJS.Platform | undefined;
}

/**
 * Reports that this Linux has no /proc, which safe opening needs, and that `allowRecheck` is not
 * set.
 */
export class NoKernelHandlesError extends Error {
  constructor() {
    super(
      '/proc is not available, so that paths cannot be verified on the opened file. Mount it, or accept the weaker check before and after each use with --allow-recheck.',
    );
    this.name = 'NoKernelHandlesError';
  }
}

/**
 * Returns the strongest opener that works in this process, guarded against file systems that do not
 * answer. `directory` is any existing directory for a trial.
 * @throws NoKernelHandlesError
 */
export async function chooseOpener(
  directory: string,
  options: ChooseOpenerOptions = {},
): Promise<Opener> {
  const { allowRecheck = false, platform = process.platform } = options;
  const [strongest] = await usableOpeners(directory, platform);
  if (platform === 'linux' && strongest.kind === 'recheck' && !allowRecheck)
    throw new NoKernelHandlesError();
  return guardStalls(strongest);
}

/** Returns every opener that works in this process, the strongest first. */
export async function usableOpeners(
  directory: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly [Opener, ...Opener[]]> {
  if (platform === 'linux' && (await hasKernelHandles(directory)))
    return [kernelHandleOpener, recheckOpener];
  // /var is a symbolic link on every macOS.
  if (platform === 'darwin' && (await hasNoFollowAny('/var')))
    return [createNoFollowOpener(), recheckOpener];
  return [recheckOpener];
}
