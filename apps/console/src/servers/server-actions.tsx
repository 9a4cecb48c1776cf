import { useMutation } from '@tanstack/react-query';
import { unwrap, type ServerDetail } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { describeError } from '../ui/error-notice.tsx';
import { useToast } from '../ui/toast.tsx';
import { RemoveServerDialog } from './remove-server-dialog.tsx';
import { useRefreshServer } from './server-queries.ts';

type Command = 'reconnect' | 'drain';

const TEXTS = {
  reconnect: {
    title: 'Reconnect the server?',
    text: 'Its process or session is ended and started again.',
    done: 'The server is being reconnected',
  },
  drain: {
    title: 'Drain the server?',
    text: 'It gets no new calls and is disconnected until you reconnect it. Runs continue without its tools.',
    done: 'The server is being drained',
  },
} as const;

/** Reconnects, drains, edits and removes a server, and logs out of a server with a stored login. */
export function ServerActions({ server }: { readonly server: ServerDetail }): ReactNode {
  const { name, state } = server;
  const { api } = useClient();
  const refresh = useRefreshServer(name);
  const toast = useToast();
  const [asked, setAsked] = useState<Command>();
  const [isRemoving, setIsRemoving] = useState(false);
  const onError = (error: unknown): void => toast(describeError(error), 'bad');
  const command = useMutation({
    mutationFn: async ([what, mode]: readonly [Command, 'graceful' | 'now']) => {
      const options = { params: { path: { name } }, body: { mode } };
      await unwrap(
        what === 'drain'
          ? api.POST('/v1/servers/{name}/drain', options)
          : api.POST('/v1/servers/{name}/reconnect', options),
      );
      return what;
    },
    onSuccess: async (what) => {
      setAsked(undefined);
      toast(TEXTS[what].done);
      await refresh();
    },
    onError,
  });
  const logOut = useMutation({
    mutationFn: () =>
      unwrap(api.DELETE('/v1/servers/{name}/login', { params: { path: { name } } })),
    onSuccess: async ({ is_revoked: isRevoked }) => {
      toast(isRevoked ? 'Logged out' : 'Logged out here; the tokens could not be revoked');
      await refresh();
    },
    onError,
  });
  const hasCalls = server.connections.some(({ calls }) => calls > 0);
  return (
    <>
      {server.logged_in !== undefined && (
        <Button isBusy={logOut.isPending} onClick={() => logOut.mutate()}>
          Log out
        </Button>
      )}
      {state !== 'invalid' && (
        <>
          <Button icon="retry" onClick={() => setAsked('reconnect')}>
            Reconnect
          </Button>
          {state !== 'drained' && state !== 'draining' && (
            <Button onClick={() => setAsked('drain')}>Drain</Button>
          )}
        </>
      )}
      {server.definition?.editable === true && (
        <>
          <Link className="button" href={`/servers/${encodeURIComponent(name)}/edit`}>
            Edit
          </Link>
          <Button kind="danger" onClick={() => setIsRemoving(true)}>
            Remove
          </Button>
        </>
      )}
      {isRemoving && (
        <RemoveServerDialog
          name={name}
          isConfigured={server.definition?.source === 'configuration'}
          onClose={() => setIsRemoving(false)}
        />
      )}
      {asked !== undefined && (
        <Dialog
          title={TEXTS[asked].title}
          onClose={() => setAsked(undefined)}
          actions={
            <>
              <Button onClick={() => setAsked(undefined)}>Leave it</Button>
              <Button
                kind="danger"
                isBusy={command.isPending}
                onClick={() => command.mutate([asked, 'now'])}
              >
                Now
              </Button>
              <Button
                kind="primary"
                isBusy={command.isPending}
                onClick={() => command.mutate([asked, 'graceful'])}
              >
                After the calls in flight
              </Button>
            </>
          }
        >
          <p>{TEXTS[asked].text}</p>
          <p className="faint">
            {hasCalls
              ? '“Now” loses the calls in flight; a person then decides about those that may have changed something.'
              : 'No call is in flight.'}
          </p>
        </Dialog>
      )}
    </>
  );
}
