import { hasKernelHandles, kernelHandleOpener } from './kernel-handle-opener.ts';
import type { Opener } from './pinned-path.ts';
import { recheckOpener } from './recheck-opener.ts';

/** The strongest opener that works in this process; `directory` is any existing directory to try it on. */
export async function chooseOpener(directory: string): Promise<Opener> {
  return (await hasKernelHandles(directory)) ? kernelHandleOpener : recheckOpener;
}
