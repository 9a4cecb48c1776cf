import { hasKernelHandles, kernelHandleOpener } from './kernel-handle-opener.ts';
import type { Opener } from './pinned-path.ts';
import { recheckOpener } from './recheck-opener.ts';

/** The strongest opener that works in this process; `directory` is any existing directory to try it on. */
export async function chooseOpener(directory: string): Promise<Opener> {
  const [strongest] = await usableOpeners(directory);
  return strongest;
}

/** Every opener that works in this process, the strongest first. */
export async function usableOpeners(directory: string): Promise<readonly [Opener, ...Opener[]]> {
  return (await hasKernelHandles(directory)) ? [kernelHandleOpener, recheckOpener] : [recheckOpener];
}
