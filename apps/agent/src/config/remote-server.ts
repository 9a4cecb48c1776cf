import { httpTransport } from '@signalbox/mcp-core/http/client';

export interface RemoteAddress {
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
}

export interface AddressProblem {
  readonly location: 'url' | 'headers';
  /** Problem text without the value. */
  readonly problem: string;
}

/** Returns the address without its user name and password, which become a header as in browsers. */
export function toRemoteAddress({
  url,
  headers,
}: RemoteAddress): (RemoteAddress & { readonly secrets: readonly string[] }) | AddressProblem {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    return { location: 'url', problem: 'must be an http or https URL' };
  const { username, password } = parsed;
  const credentials =
    username === '' && password === '' ? undefined : `${decoded(username)}:${decoded(password)}`;
  if (
    credentials !== undefined &&
    Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
  ) {
    return {
      location: 'url',
      problem: 'holds a user name or password beside the header Authorization; remove one of them',
    };
  }
  parsed.username = '';
  parsed.password = '';
  parsed.hash = '';
  const address = {
    url: parsed.href,
    headers:
      credentials === undefined
        ? headers
        : { ...headers, Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
  return (
    headerProblem(address) ?? {
      ...address,
      secrets: [username, password, decoded(username), decoded(password)].filter(
        (secret) => secret !== '',
      ),
    }
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % is literal.
    return text;
  }
}

function headerProblem({ url, headers }: RemoteAddress): AddressProblem | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
      return {
        location: 'headers',
        problem: `${JSON.stringify(name)} is not the name of an HTTP header`,
      };
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      return {
        location: 'headers',
        problem: `the value of ${name} has characters that no HTTP header may have`,
      };
    try {
      httpTransport({ url, headers: { [name]: value } });
    } catch {
      return {
        location: 'headers',
        problem: `${name} is set by the protocol and cannot be configured`,
      };
    }
  }
  return undefined;
}
