import type { LoginReason, LoginRequest } from '@signalbox/mcp-core/auth';
import { cutText } from '../text/cut-text.ts';

const MAX_ISSUER = 200;

const REASONS: { readonly [R in LoginReason]: string } = {
  'no-tokens': 'nobody has logged in yet',
  'tokens-refused': 'it refuses the stored tokens',
  'refresh-refused': 'the authorization server ended the last login',
  'insufficient-scope': 'the last login did not grant every scope',
};

/** Returns one line about the login that a server needs: why, where, and what to do. */
export function needsLoginText(server: string, login: LoginRequest): string {
  const { reason, issuer, challengedScopes, scopes } = login;
  const shown = reason === 'insufficient-scope' ? challengedScopes : scopes;
  const what = shown.length === 0 ? '' : ` for ${shown.slice(0, 10).join(', ')}`;
  return `server ${server} needs a login at ${cutText(issuer, MAX_ISSUER)}${what}, because ${REASONS[reason]}: use signalbox servers login ${server}, or POST /v1/servers/${server}/login`;
}
