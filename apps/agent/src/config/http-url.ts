import { ConfigError } from './config.ts';

/** Why a text is no base URL. What is refused beside the address, logs and errors would show. */
export function httpUrlProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return `${url.username}${url.password}${url.search}${url.hash}` === ''
    ? undefined
    : 'must not hold a user name, password, query or fragment';
}

/** @throws ConfigError, which does not quote it, unless `value` is a base URL */
export function httpUrl(value: string, source: string): string {
  const problem = httpUrlProblem(value);
  if (problem !== undefined) throw new ConfigError(`${source}: ${problem}`);
  return value;
}
