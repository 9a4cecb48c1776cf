import { UsageError } from './usage-error.ts';

export interface HttpAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Parses the value of `--http`: a port, or host and port, with an IPv6 address in brackets. The
 * default host is 127.0.0.1; port 0 is any free port.
 * @throws UsageError
 */
export function parseHttpAddress(text: string): HttpAddress {
  const [, bracketed, plain, port] =
    /^(?:(?:\[([\da-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const number = Number(port);
  if (port === undefined || number > 65_535)
    throw new UsageError(
      `--http must be a port or host:port, as in 3000, localhost:3000 or [::1]:3000, not ${JSON.stringify(text)}`,
    );
  return { host: bracketed ?? plain ?? '127.0.0.1', port: number };
}
