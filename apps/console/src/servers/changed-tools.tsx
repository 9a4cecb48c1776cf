import { useMutation } from '@tanstack/react-query';
import { unwrap, type ServerDetail } from '@signalbox/client';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { useToast } from '../ui/toast.tsx';
import { ChangedDefinition, type Pin } from './changed-definition.tsx';
import { useRefreshServer } from './server-queries.ts';

/** Tools that are withheld because their definition changed, with the change and its approval. */
export function ChangedTools({ server }: { readonly server: ServerDetail }): ReactNode {
  const changed = server.pins.filter(({ quarantined }) => quarantined !== undefined);
  if (changed.length === 0) return null;
  return (
    <section className="changed-tools" aria-labelledby="changed-tools">
      <div className="notice warn">
        <Icon name="alert" />
        <div>
          <h2 id="changed-tools">
            {changed.length === 1 ? 'A tool has changed' : `${changed.length} tools have changed`}
          </h2>
          <p>
            The server offers another definition than the approved one. The tool is withheld from
            runs until a person has read the change and approved it.
          </p>
        </div>
      </div>
      {changed.map((pin) => (
        <ChangedTool key={pin.tool} server={server.name} pin={pin} />
      ))}
    </section>
  );
}

function ChangedTool({ server, pin }: { readonly server: string; readonly pin: Pin }): ReactNode {
  const { api } = useClient();
  const refresh = useRefreshServer(server);
  const toast = useToast();
  const digest = pin.quarantined?.digest;
  const approve = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/servers/{name}/tools/{tool}/approve', {
          params: { path: { name: server, tool: pin.tool } },
          body: digest === undefined ? {} : { digest },
        }),
      ),
    onSuccess: async () => {
      toast('Approved: runs may use the tool again');
      await refresh();
    },
    onError: () => refresh(),
  });
  return (
    <article className="card changed-tool">
      <h3>
        <PlainText text={pin.tool} />
      </h3>
      <ChangedDefinition pin={pin} />
      {approve.error !== null && (
        <ErrorNotice title="The change was not approved" error={approve.error} />
      )}
      <div>
        <Button
          kind="primary"
          icon="check"
          isBusy={approve.isPending}
          onClick={() => approve.mutate()}
        >
          Approve this definition
        </Button>
      </div>
    </article>
  );
}
