import { StorageError } from '../../ports/store/errors.ts';
import { messageOf } from '../../text/error-text.ts';

/** Codes of PostgreSQL. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SERIALIZATION_FAILURE = '40001';
export const DEADLOCK = '40P01';
const DISK_FULL = '53100';
const TOO_MANY_CONNECTIONS = '53300';
export const LOCK_TIMEOUT = '55P03';
const QUERY_CANCELED = '57014';
const FEATURE_NOT_SUPPORTED = '0A000';

const DIVISION_BY_ZERO = '22012';
const INSUFFICIENT_PRIVILEGE = '42501';

/** Reasons by code, without the name of the user, which messages of the server contain. */
const REASONS = new Map([
  ['25006', 'the server only reads'],
  ['28000', 'the server refuses the user'],
  ['28P01', 'the server refuses the user or the password'],
  ['3D000', 'the server has no such database'],
  [TOO_MANY_CONNECTIONS, 'the server has no free connection'],
  ['57P03', 'the server is starting or stopping'],
]);

/**
 * Codes of the system, and prefixes of codes of PostgreSQL, for a connection that ended or was
 * refused. A read-only server (25006) is a former primary; a new connection leads to its successor.
 * A refused login (28) and a missing database (3D000) end when a password is changed, or a backup
 * restored, everywhere.
 */
const DISCONNECTED =
  /^(?:ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH|ENETUNREACH|08|28|3D000|57P0|25P03|25006)/;

/** Messages of errors of pg that have no code. */
const DISCONNECTED_MESSAGE =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed)/;

/** Returns the code of an error of PostgreSQL or of the system, or an empty text. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Whether the database rolled a transaction back that may succeed when it is repeated: a deadlock
 * or a serialization failure.
 */
export function isGivenUp(error: unknown): boolean {
  const code = codeOf(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK;
}

/**
 * Whether a prepared statement failed because a later version has added a column to its result. The
 * transaction had no effect and succeeds on another connection.
 */
export function isStaleStatement(error: unknown): boolean {
  return (
    codeOf(error) === FEATURE_NOT_SUPPORTED &&
    error instanceof Error &&
    error.message.startsWith('cached plan')
  );
}

/** Whether a statement changed nothing that its work expected to change. See `PostgresRows.changes`. */
export function isUnchanged(error: unknown): boolean {
  return codeOf(error) === DIVISION_BY_ZERO;
}

/** Whether the connection to the database ended, or could not be opened. */
export function isDisconnected(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return DISCONNECTED.test(codeOf(error)) || DISCONNECTED_MESSAGE.test(error.message);
}

/**
 * Whether the server had no connection left, so that nothing was sent. The pool may have a free
 * connection soon.
 */
export function isWithoutConnection(error: unknown): boolean {
  return codeOf(error) === TOO_MANY_CONNECTIONS;
}

/** Whether the user lacks a right that the statement needs. */
export function isRefused(error: unknown): boolean {
  return codeOf(error) === INSUFFICIENT_PRIVILEGE;
}

/** Converts errors of the server and of the connection; other errors stay as they are. */
export function storageErrorOf(error: unknown, database: string): unknown {
  const code = codeOf(error);
  const options = { cause: error };
  if (code === DISK_FULL)
    return new StorageError('full', `the disk of the database ${database} is full`, options);
  if (isRefused(error))
    return new StorageError(
      'broken',
      `the database ${database} refuses a statement (${reasonOf(error)}); grant the user of DATABASE_URL all rights on the tables of the service`,
      options,
    );
  if (
    [TOO_MANY_CONNECTIONS, LOCK_TIMEOUT, QUERY_CANCELED, DEADLOCK, SERIALIZATION_FAILURE].includes(
      code,
    )
  )
    return new StorageError(
      'busy',
      `the database ${database} is busy (${reasonOf(error)}); nothing was changed, try again later`,
      options,
    );
  if (isDisconnected(error))
    return new StorageError(
      'unreachable',
      `the database ${database} cannot be reached (${reasonOf(error)})`,
      options,
    );
  return error;
}

/** Returns the code of an error with its meaning, or its message, which pg writes without the password. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const code = codeOf(error);
  const reason = code === INSUFFICIENT_PRIVILEGE ? messageOf(error) : REASONS.get(code);
  if (reason !== undefined) return `${code}: ${reason}`;
  if (code !== '') return code;
  return error instanceof Error ? error.message : 'unknown error';
}

/** Returns the message of an error, without the name of the user. */
export function textWithoutUser(error: Error): string {
  return REASONS.has(codeOf(error)) ? reasonOf(error) : messageOf(error);
}
