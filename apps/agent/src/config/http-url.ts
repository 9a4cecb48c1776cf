import { ConfigError } from './config.ts';

/**
 * Returns the reason why a text is not a base URL. Parts that logs and errors would reveal are
 * refused.
 */
export function httpUrlProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return `${url.username}${url.password}${url.search}${url.hash}` === ''
    ? undefined
    : 'must not hold a user name, password, query or fragment';
}

/** Validates a base URL. @throws ConfigError without quoting the value */
export function httpUrl(value: string, source: string): string {
  const problem = httpUrlProblem(value);
  if (problem !== undefined) throw new ConfigError(`${source}: ${problem}`);
  return value;
}
