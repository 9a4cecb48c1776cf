import { HTML, HUGE, redirectTo, type Answer } from './answer.ts';
import type { Misbehavior } from './misbehavior.ts';
import { OAuthError } from './oauth-error.ts';
import type { ReceivedRequest } from './received-request.ts';

/** Returns the answer to a token request, correct unless the server misbehaves. */
export async function tokenAnswer(
  request: ReceivedRequest,
  respond: () => Promise<{ readonly [name: string]: unknown }>,
  misbehaves: (way: Misbehavior) => boolean,
): Promise<Answer> {
  if (misbehaves('token-hangs')) return 'never';
  if (misbehaves('token-huge')) return HUGE;
  if (misbehaves('token-html')) return HTML;
  if (misbehaves('token-redirects')) return redirectTo('https://169.254.169.254/token', 307);
  if (misbehaves('token-nonce-forever'))
    throw new OAuthError('use_dpop_nonce', 'another nonce', {
      headers: { 'DPoP-Nonce': `nonce-${Date.now()}-${Math.random()}` },
    });
  if (misbehaves('token-error-with-secret'))
    throw new OAuthError('invalid_grant', `no: ${request.body}`);
  const isRefresh = request.form.get('grant_type') === 'refresh_token';
  if (isRefresh && misbehaves('refresh-fails-for-now'))
    throw new OAuthError('temporarily_unavailable', 'later');
  const { expires_in: seconds, ...tokens } = await respond();
  const scopes = typeof tokens['scope'] === 'string' ? tokens['scope'].split(' ') : [];
  const changes: [Misbehavior, { readonly [name: string]: unknown }][] = [
    ['token-type-unknown', { token_type: 'mac' }],
    ['token-type-bearer', { token_type: 'Bearer' }],
    ['token-type-dpop', { token_type: 'DPoP' }],
    ['token-type-missing', { token_type: undefined }],
    ['token-missing', { access_token: undefined }],
    ['token-with-text-expiry', { expires_in: String(seconds) }],
    ['token-expired', { expires_in: 0 }],
    ['token-with-fewer-scopes', { scope: scopes.slice(1).join(' ') }],
  ];
  const changed = changes.filter(([way]) => misbehaves(way)).map(([, members]) => members);
  const life = misbehaves('token-without-expiry') ? {} : { expires_in: seconds };
  return { json: Object.assign({}, tokens, life, ...changed) as {} };
}
