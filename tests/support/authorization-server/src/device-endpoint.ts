import { randomInt, randomUUID } from 'node:crypto';
import { checkResource, checkScopes } from './authorization-endpoint.ts';
import { mayUse } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import type { AuthorizationServerOptions, Client } from './options.ts';

/** Grant type of device codes. */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

interface DeviceCode {
  readonly userCode: string;
  readonly clientId: string;
  readonly resource: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  state: 'pending' | 'granted' | 'denied' | 'used';
  subject: string;
  nextPollAt: number;
}

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const CODE_MS = 600_000;

/** The device authorization endpoint (RFC 8628). */
export class DeviceEndpoint {
  /** Seconds between two polls that clients must keep. Change it to let tests poll faster. */
  intervalSeconds = 5;
  readonly #options: AuthorizationServerOptions;
  readonly #codes = new Map<string, DeviceCode>();

  constructor(options: AuthorizationServerOptions) {
    this.#options = options;
  }

  /** Issues a device code. @throws OAuthError */
  begin(
    client: Client,
    form: { readonly [name: string]: string },
    verificationUri: string,
  ): { readonly [name: string]: unknown } {
    if (!mayUse(client, DEVICE_CODE_GRANT))
      throw new OAuthError('unauthorized_client', 'the client may not use device codes');
    const letters = Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');
    const userCode = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    const deviceCode = `device-${randomUUID()}`;
    this.#codes.set(deviceCode, {
      userCode,
      clientId: client.clientId,
      resource: checkResource(form['resource'], this.#options),
      scopes: checkScopes(form['scope'], this.#options),
      expiresAt: this.#now() + CODE_MS,
      state: 'pending',
      subject: 'user',
      nextPollAt: 0,
    });
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: verificationUri,
      verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
      expires_in: CODE_MS / 1000,
      interval: this.intervalSeconds,
    };
  }

  /** Enters a user code, and grants or denies. Returns whether it is known. */
  enter(userCode: string, isGranted: boolean, subject = 'user'): boolean {
    const code = [...this.#codes.values()].find((each) => each.userCode === userCode);
    if (code === undefined) return false;
    code.state = isGranted ? 'granted' : 'denied';
    code.subject = subject;
    return true;
  }

  /** Answers a poll with the authorization. @throws OAuthError while there is none */
  redeem(deviceCode: string | undefined, { clientId }: Client, resource: string | undefined) {
    const code = this.#codes.get(deviceCode ?? '');
    if (code === undefined || code.clientId !== clientId || code.state === 'used')
      throw new OAuthError('invalid_grant', 'the device code is unknown or was used');
    if (code.resource !== resource) throw new OAuthError('invalid_target', 'another resource');
    const now = this.#now();
    if (code.expiresAt <= now) throw new OAuthError('expired_token', 'the code has expired');
    if (code.state === 'denied') throw new OAuthError('access_denied', 'the user refused');
    const isEarly = now < code.nextPollAt;
    code.nextPollAt = now + this.intervalSeconds * 1000;
    if (isEarly) throw new OAuthError('slow_down', 'the client polls too often');
    if (code.state === 'pending') throw new OAuthError('authorization_pending', 'wait');
    code.state = 'used';
    return code;
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }
}
