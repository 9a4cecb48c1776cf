import type { Server } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { useEditing } from './definition-store.ts';
import { EditingHint } from './editing-hint.tsx';
import { ServerState } from './server-state.tsx';
import './servers.css';
import { useServers } from './server-queries.ts';

/** The MCP servers of the service. */
export function ServersPage(): ReactNode {
  const { data, error, refetch } = useServers();
  const editing = useEditing();
  const canAdd = editing === 'remote' || editing === 'all';
  return (
    <>
      <PageHeader
        title="Servers"
        actions={
          canAdd && (
            <Link className="button" href="/servers/+new">
              <Icon name="plus" />
              Add a server
            </Link>
          )
        }
      >
        <p className="faint">MCP servers give runs their tools, resources and prompts.</p>
        {editing === 'off' && <EditingHint />}
      </PageHeader>
      {error !== null && (
        <ErrorNotice
          title="The servers could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Spinner label="Loading the servers" />}
      {data?.length === 0 && (
        <EmptyState title="No servers" icon="servers">
          {canAdd && (
            <p>
              <Link href="/servers/+new">Add a server</Link> here, or in the file below.
            </p>
          )}
          <p>
            Servers are added in <code>signalbox.json</code>, under <code>mcpServers</code>, with
            the same entries as in other hosts. Restart the service afterwards.
          </p>
          <p>
            <code>npx signalbox serve --demo</code> starts with three demo servers.
          </p>
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <ul className="server-cards" aria-label="Servers">
          {data.map((server) => (
            <li key={server.name}>
              <ServerCard server={server} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function ServerCard({ server }: { readonly server: Server }): ReactNode {
  const { name, server_info: info, transport, era, tool_count: tools, quarantined } = server;
  const calls = server.connections.reduce((sum, connection) => sum + connection.calls, 0);
  return (
    <article className="card server-card">
      <div className="server-card-title">
        <h2>
          <Link href={`/servers/${encodeURIComponent(name)}`}>
            <PlainText text={name} />
          </Link>
        </h2>
        <ServerState server={server} />
      </div>
      <p className="faint">
        {info !== undefined && <PlainText text={`${info.name} ${info.version} · `} />}
        {transport}
        {era !== undefined && ` · ${era} era`}
      </p>
      <ul className="server-facts">
        <li>
          <strong>{tools}</strong> {tools === 1 ? 'tool' : 'tools'}
        </li>
        <li>
          <strong>{calls}</strong> {calls === 1 ? 'call' : 'calls'} in flight
        </li>
        {server.waiting_calls.length > 0 && (
          <li>
            <strong>{server.waiting_calls.length}</strong> waiting
          </li>
        )}
        {quarantined.length > 0 && (
          <li className="field-error">
            <strong>{quarantined.length}</strong> changed{' '}
            {quarantined.length === 1 ? 'tool' : 'tools'}
          </li>
        )}
      </ul>
      {server.error !== undefined && (
        <p className="field-error server-problem">
          <PlainText text={server.error} />
        </p>
      )}
      <p className="faint">
        Since <Time at={server.since} />
        {server.restarts > 0 &&
          ` · ${server.restarts} ${server.restarts === 1 ? 'restart' : 'restarts'}`}
      </p>
    </article>
  );
}
