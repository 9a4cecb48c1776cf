import { LoginError, type ServerLogins } from '../../ports/server-logins.ts';

/** Logins of a service without remote servers. */
export const noLogins: ServerLogins = {
  begin: () => Promise.reject(new LoginError('unsupported', 'nobody can log in to the server')),
  finish: () => Promise.resolve({ type: 'unknown' }),
  logOut: () => Promise.reject(new LoginError('unsupported', 'nobody can log in to the server')),
  loginOf: () => Promise.resolve(undefined),
};
