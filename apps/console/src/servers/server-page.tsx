import { useQueryClient } from '@tanstack/react-query';
import type { ServerDetail } from '@signalbox/client';
import { useEffect, useRef, type ReactNode } from 'react';
import { useQueryParam } from '../app/router.ts';
import type { PageProps } from '../app/routes.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { ConnectionTab } from './connection-tab.tsx';
import { LoginPanel } from './login-panel.tsx';
import { PromptsTab } from './prompts-tab.tsx';
import { ResourcesTab } from './resources-tab.tsx';
import { ServerActions } from './server-actions.tsx';
import { ServerLog } from './server-log.tsx';
import { useServer } from './server-queries.ts';
import { ServerState } from './server-state.tsx';
import './servers.css';
import { ToolsTab } from './tools-tab.tsx';
import { useChanges } from './use-changes.ts';

const LISTS: { readonly [type: string]: string } = {
  'tools.changed': 'tools',
  'prompts.changed': 'prompts',
  'resources.changed': 'resources',
};

/** A server: its state, and its tools, resources and prompts to try. */
export function ServerPage({ params: { name = '' } }: PageProps): ReactNode {
  const { data: server, error, refetch } = useServer(name);
  if (server === undefined)
    return (
      <>
        <PageHeader title={printable(name)} />
        {error === null ? (
          <Spinner label="Loading the server" />
        ) : (
          <ErrorNotice
            title="The server could not be loaded"
            error={error}
            onRetry={() => void refetch()}
          />
        )}
      </>
    );
  return <LoadedServer server={server} />;
}

function LoadedServer({ server }: { readonly server: ServerDetail }): ReactNode {
  const [chosen, choose] = useQueryParam('tab');
  const queries = useQueryClient();
  const { name } = server;
  const isReady = server.state === 'ready';
  const wasReady = useRef(isReady);
  // The lists of a server that is not connected are empty.
  useEffect(() => {
    if (isReady !== wasReady.current)
      void queries.invalidateQueries({ queryKey: ['servers', name] });
    wasReady.current = isReady;
  }, [isReady, name, queries]);
  useChanges({ server: name, isOn: isReady }, ({ type }) => {
    const list = LISTS[type];
    if (list !== undefined || type === 'missed')
      void queries.invalidateQueries({ queryKey: ['servers', name] });
  });
  const tab = TABS.some(({ id }) => id === chosen) ? chosen : 'tools';
  return (
    <>
      <PageHeader
        title={printable(name)}
        tabTitle={printable(name)}
        actions={<ServerActions server={server} />}
      >
        <p className="server-line">
          <ServerState server={server} />
          <span className="faint">
            {server.server_info !== undefined && (
              <PlainText text={`${server.server_info.name} ${server.server_info.version} · `} />
            )}
            {server.transport}
            {server.protocol_version !== undefined &&
              ` · ${server.era ?? ''} era, protocol ${server.protocol_version}`}
          </span>
        </p>
      </PageHeader>
      <Notices server={server} />
      <Tabs
        label="Parts of the server"
        tabs={TABS.map((each) =>
          each.id === 'tools' ? { ...each, count: server.tool_count } : each,
        )}
        chosen={tab}
        onChoose={(next) => choose(next === 'tools' ? '' : next)}
      >
        {tab === 'tools' && <ToolsTab server={server} />}
        {tab === 'resources' && <ResourcesTab server={name} />}
        {tab === 'prompts' && <PromptsTab server={name} />}
        {tab === 'connection' && <ConnectionTab server={server} />}
        {tab === 'log' && <ServerLog server={name} />}
      </Tabs>
    </>
  );
}

const TABS = [
  { id: 'tools', label: 'Tools' },
  { id: 'resources', label: 'Resources' },
  { id: 'prompts', label: 'Prompts' },
  { id: 'connection', label: 'Connection' },
  { id: 'log', label: 'Log' },
];

function Notices({ server }: { readonly server: ServerDetail }): ReactNode {
  // The reasons of changed tools are shown with the tools.
  const warnings = server.warnings.filter((text) => !text.includes(' is quarantined: '));
  return (
    <div className="notices">
      {server.login !== undefined && (
        <div className="notice warn">
          <Icon name="alert" />
          <div>
            <strong>
              {server.state === 'needs_login'
                ? 'This server needs a login'
                : 'Some calls need further permissions'}
            </strong>
            <LoginPanel server={server.name} login={server.login} />
          </div>
        </div>
      )}
      {server.error !== undefined && server.state !== 'needs_login' && (
        <div className="notice bad" role="alert">
          <Icon name="error" />
          <div>
            <strong>The server is not available</strong>
            <p>
              <PlainText text={server.error} />
            </p>
          </div>
        </div>
      )}
      {warnings.length > 0 && (
        <div className="notice warn">
          <Icon name="alert" />
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>
                <PlainText text={warning} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}
