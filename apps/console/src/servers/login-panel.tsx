import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap, type components } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { ExternalAddress } from '../inbox/external-address.tsx';
import { webAddress } from '../inbox/web-address.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Time } from '../ui/time.tsx';
import './login-panel.css';

/** The login that a server needs. */
export type NeededLogin = Pick<
  components['schemas']['NeededLogin'],
  'issuer' | 'scopes' | 'required_scopes' | 'reason' | 'methods'
>;
type LoginMethod = NeededLogin['methods'][number];

const REASONS: { readonly [reason in NeededLogin['reason']]: string } = {
  no_tokens: 'Nobody has logged in yet.',
  tokens_refused: 'The server refuses the tokens of the last login.',
  refresh_refused: 'The authorization server ended the last login.',
  insufficient_scope: 'A request needs more permissions than the last login gave.',
};
const METHODS: { readonly [method in LoginMethod]: string } = {
  browser: 'Log in',
  device: 'Log in with a code',
};

interface LoginPanelProps {
  readonly server: string;
  readonly login: NeededLogin;
}

/** Says where and why a server needs a login, and begins it. The address of the login is shown, and opened only by the person. */
export function LoginPanel({ server, login }: LoginPanelProps): ReactNode {
  const { api } = useClient();
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: (method: LoginMethod) =>
      unwrap(
        api.POST('/v1/servers/{name}/login', {
          params: { path: { name: server } },
          body: { method },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['servers'] }),
  });
  const started = start.data;
  return (
    <div className="login-panel">
      <p>{REASONS[login.reason]}</p>
      <dl className="fact-list">
        <div>
          <dt>Log in at</dt>
          <dd>
            <strong>
              <PlainText text={webAddress(login.issuer)?.host ?? login.issuer} />
            </strong>
          </dd>
        </div>
        <div>
          <dt>Permissions</dt>
          <dd>
            <Scopes scopes={login.scopes} required={login.required_scopes} />
          </dd>
        </div>
      </dl>
      {started === undefined ? (
        <div className="actions">
          {login.methods.map((method) => (
            <Button
              key={method}
              kind={method === login.methods[0] ? 'primary' : 'secondary'}
              icon="link"
              isBusy={start.isPending}
              onClick={() => start.mutate(method)}
            >
              {METHODS[method]}
            </Button>
          ))}
        </div>
      ) : (
        <>
          <ExternalAddress
            url={started.complete_url ?? started.url}
            host={webAddress(started.url)?.host ?? started.url}
          />
          {started.user_code !== undefined && (
            <p className="user-code">
              Enter the code{' '}
              <strong className="mono">
                <PlainText text={started.user_code} />
              </strong>{' '}
              <CopyButton label="Copy the code" text={started.user_code} />
            </p>
          )}
          <p className="faint" role="status">
            Open the address and log in there. This page continues when you are done; the address is
            valid until <Time at={started.expires_at} form="full" />.
          </p>
        </>
      )}
      {start.error !== null && (
        <ErrorNotice title="The login could not be started" error={start.error} />
      )}
    </div>
  );
}

interface ScopesProps {
  readonly scopes: readonly string[];
  readonly required: readonly string[];
}

function Scopes({ scopes, required }: ScopesProps): ReactNode {
  if (scopes.length === 0) return 'those that the authorization server gives by default';
  return (
    <ul className="badges">
      {scopes.map((scope) => (
        <li key={scope} className="mono">
          <PlainText text={scope} />
          {required.includes(scope) && <span className="faint"> (needed now)</span>}
        </li>
      ))}
    </ul>
  );
}
