/** Returns the URL of a path below a base URL, with a query. */
export function endpoint(base: URL, path: string, query?: URLSearchParams): URL {
  const url = new URL(path, base.href.endsWith('/') ? base : `${base.href}/`);
  url.search = query?.toString() ?? '';
  return url;
}
