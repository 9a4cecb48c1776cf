type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const SIMPLE_METHODS = ['GET', 'HEAD', 'POST'];
const SIMPLE_HEADERS = ['accept', 'accept-language', 'content-language'];
const SIMPLE_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'];
const READABLE_HEADERS = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
  'pragma',
];

/**
 * Returns a fetch that applies the CORS protocol as a browser does for pages of an origin: it sends
 * preflight requests, and hides responses and header fields that the server does not share.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function pageFetch(origin: string): { readonly fetch: Fetch; readonly preflights: URL[] } {
  const preflights: URL[] = [];
  const page: Fetch = async (input, init = {}) => {
    const url = new URL(input);
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    const unsafe = [...headers].filter(isUnsafe).map(([name]) => name);
    if (!SIMPLE_METHODS.includes(method) || unsafe.length > 0) {
      preflights.push(url);
      await preflight(url, { origin, method, unsafe });
    }
    headers.set('origin', origin);
    const response = await fetch(url, { ...init, headers });
    checkShared(response, origin);
    const exposed = listOf(response, 'access-control-expose-headers');
    return new Response(response.body, {
      status: response.status,
      headers: [...response.headers].filter(
        ([name]) => READABLE_HEADERS.includes(name) || exposed.includes(name),
      ),
    });
  };
  return { fetch: page, preflights };
}

interface Preflight {
  readonly origin: string;
  readonly method: string;
  readonly unsafe: readonly string[];
}

async function preflight(url: URL, { origin, method, unsafe }: Preflight): Promise<void> {
  const response = await fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': unsafe.toSorted().join(','),
    },
  });
  checkShared(response, origin);
  const methods = listOf(response, 'access-control-allow-methods');
  const allowed = listOf(response, 'access-control-allow-headers');
  const missing = unsafe.filter((name) => !allowed.includes(name));
  if (!response.ok || missing.length > 0 || !isAllowed(method, methods))
    throw new TypeError(
      `Blocked by CORS: ${method} ${missing.join(', ')}, status ${String(response.status)}`,
    );
}

function checkShared(response: Response, origin: string): void {
  if (response.headers.get('access-control-allow-origin') !== origin)
    throw new TypeError(`Blocked by CORS: the response is not shared with ${origin}`);
}

function isAllowed(method: string, methods: readonly string[]): boolean {
  return SIMPLE_METHODS.includes(method) || methods.includes(method.toLowerCase());
}

function isUnsafe([name, value]: readonly [string, string]): boolean {
  if (name === 'content-type') return !SIMPLE_TYPES.includes(value.split(';', 1)[0] ?? '');
  return !SIMPLE_HEADERS.includes(name);
}

function listOf(response: Response, name: string): readonly string[] {
  return (response.headers.get(name) ?? '').split(',').map((each) => each.trim().toLowerCase());
}
