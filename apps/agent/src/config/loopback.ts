/** Whether a host name or address, as it stands in a URL, is one of this machine alone. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);
}
