import { ConfigError, type DatabaseConfig } from './config.ts';
import type { FileConfig } from './config-schema.ts';

/**
 * Returns the PostgreSQL database of the service. Undefined: SQLite in the data directory. Error
 * texts never contain the address, in which there is a password.
 * @throws ConfigError
 */
export function databaseSetting(
  env: { readonly [name: string]: string | undefined },
  limits: FileConfig['database'] = {},
): DatabaseConfig | undefined {
  const url = env['DATABASE_URL'];
  if (url === undefined) return undefined;
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new ConfigError(
      'DATABASE_URL: must be the address of a PostgreSQL database, such as postgres://USER:PASSWORD@HOST:5432/DATABASE; unset it to use SQLite in the data directory',
    );
  return {
    url,
    connections: limits.connections,
    statementTimeoutMs: limits.statement_timeout_ms,
  };
}
