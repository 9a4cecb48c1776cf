/** Values of the Host header that name this machine, without port. */
export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Whether an address to listen on, or the host of a URL, can be reached from this machine only.
 * Names other than `localhost` are not resolved and count as reachable from others.
 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d+){1,3}|::1|\[::1\])$/iu.test(host);
}
