import { useCallback, useMemo, useSyncExternalStore } from 'react';

/** Parameters of a path, by name. */
export interface PathParams {
  readonly [name: string]: string;
}

/** Event of the window after `navigate`; the browser itself sends `popstate` only for its own buttons. */
const NAVIGATED = 'signalbox:navigated';

interface NavigateOptions {
  /** Whether the current entry of the history is replaced. Default: no. */
  readonly replace?: boolean;
  /** Value of `history.state` for the page. */
  readonly state?: string;
}

/** Goes to an address of the console. */
export function navigate(to: string, { replace = false, state }: NavigateOptions = {}): void {
  if (replace) history.replaceState(state, '', to);
  else history.pushState(state, '', to);
  dispatchEvent(new Event(NAVIGATED));
}

/** Returns the path, query and hash of the current address, and renders again when it changes. */
export function useAddress(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href);
  return useMemo(() => new URL(href), [href]);
}

/**
 * Returns the value of a query parameter, `''` without it, and a function that sets it and replaces the entry in the history.
 * The empty value removes the parameter.
 */
export function useQueryParam(name: string): readonly [string, (value: string) => void] {
  const value = useAddress().searchParams.get(name) ?? '';
  const set = useCallback(
    (next: string) => {
      const url = new URL(location.href);
      if (next === '') url.searchParams.delete(name);
      else url.searchParams.set(name, next);
      navigate(url.pathname + url.search + url.hash, { replace: true });
    },
    [name],
  );
  return [value, set];
}

/**
 * Returns the parameters of a path that matches a pattern such as `/runs/:id`, or undefined. The values are decoded; a value that
 * cannot be decoded does not match.
 */
export function matchPath(pattern: string, path: string): PathParams | undefined {
  const expected = pattern.split('/');
  const actual = path.replace(/(?<=.)\/+$/, '').split('/');
  if (expected.length !== actual.length) return undefined;
  const params: { [name: string]: string } = {};
  for (const [index, part] of expected.entries()) {
    const value = decode(actual[index] ?? '');
    if (value === undefined) return undefined;
    if (part.startsWith(':')) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

function subscribe(onChange: () => void): () => void {
  const events = ['popstate', 'hashchange', NAVIGATED];
  for (const event of events) addEventListener(event, onChange);
  return () => {
    for (const event of events) removeEventListener(event, onChange);
  };
}
