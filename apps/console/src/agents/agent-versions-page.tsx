import { useQuery } from '@tanstack/react-query';
import type { AgentVersionEntry } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useQueryParam } from '../app/router.ts';
import type { PageProps } from '../app/routes.tsx';
import { useClient } from '../app/session.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { SelectField } from '../ui/select-field.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { readAgent, readVersions, type TaggedAgent } from './agent-store.ts';
import './agents.css';
import { RestoreVersionDialog } from './restore-version-dialog.tsx';
import { VersionDiff } from './version-diff.tsx';

/** The versions of an agent, the difference of two of them, and the way back to an earlier one. */
export function AgentVersionsPage({ params }: PageProps): ReactNode {
  const { id = '' } = params;
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['agent-versions', id],
    queryFn: async ({ signal }) => {
      const [current, versions] = await Promise.all([
        readAgent(client, id, signal),
        readVersions(client, id, signal),
      ]);
      return { current, versions };
    },
  });
  if (data !== undefined) return <Versions {...data} />;
  if (error === null) return <Spinner label="Loading the versions" />;
  return (
    <ErrorNotice
      title="The versions could not be loaded"
      error={error}
      onRetry={() => void refetch()}
    />
  );
}

interface VersionsProps {
  readonly current: TaggedAgent;
  readonly versions: readonly AgentVersionEntry[];
}

function Versions({ current, versions }: VersionsProps): ReactNode {
  const { agent } = current;
  const [restoring, setRestoring] = useState<number>();
  return (
    <>
      <p className="back">
        <Link href={`/agents/${encodeURIComponent(agent.id)}`}>
          <Icon name="chevron" />
          {printable(agent.name)}
        </Link>
      </p>
      <PageHeader title={`Versions of ${printable(agent.name)}`}>
        <p className="faint">
          Each change makes a version; the last 100 are kept. Runs keep the version they began with.
        </p>
      </PageHeader>
      <div className="versions">
        <DataTable
          label="Versions"
          rows={versions}
          keyOf={({ version }) => String(version)}
          columns={[
            {
              id: 'version',
              title: 'Version',
              cell: ({ version }) => (
                <span className="badges">
                  {version}
                  {version === agent.version && <Badge tone="accent">current</Badge>}
                </span>
              ),
            },
            { id: 'name', title: 'Name', cell: ({ name }) => <PlainText text={name} /> },
            { id: 'made', title: 'Made', cell: ({ created_at }) => <Time at={created_at} /> },
            {
              id: 'key',
              title: 'API key',
              cell: ({ api_key: key }) =>
                key === undefined ? (
                  <span className="faint">not recorded</span>
                ) : (
                  <PlainText text={key} />
                ),
            },
            {
              id: 'use',
              title: 'Use',
              cell: ({ version }) => (
                <div className="actions">
                  <Link
                    className="button quiet"
                    href={`/runs/new?agent=${encodeURIComponent(agent.id)}&version=${version}`}
                    aria-label={`Start a run with version ${version}`}
                  >
                    <Icon name="play" />
                    Run
                  </Link>
                  {version !== agent.version && (
                    <Button
                      kind="quiet"
                      icon="retry"
                      label={`Restore version ${version}`}
                      onClick={() => setRestoring(version)}
                    >
                      Restore
                    </Button>
                  )}
                </div>
              ),
            },
          ]}
        />
        {versions.length > 1 && <Comparison agentId={agent.id} versions={versions} />}
      </div>
      {restoring !== undefined && (
        <RestoreVersionDialog
          current={current}
          version={restoring}
          onClose={() => setRestoring(undefined)}
        />
      )}
    </>
  );
}

interface ComparisonProps {
  readonly agentId: string;
  /** Newest first, at least two. */
  readonly versions: readonly AgentVersionEntry[];
}

function Comparison({ agentId, versions }: ComparisonProps): ReactNode {
  const [from, setFrom] = useQueryParam('from');
  const [to, setTo] = useQueryParam('to');
  const [newest, previous] = versions;
  const before = chosen(versions, from) ?? previous?.version ?? 1;
  const after = chosen(versions, to) ?? newest?.version ?? 1;
  const choices = versions.map(({ version }) => ({
    value: String(version),
    label: `Version ${version}`,
  }));
  return (
    <section className="card" aria-labelledby="comparison">
      <h2 id="comparison">Compare</h2>
      <div className="version-choice">
        <SelectField label="From" value={String(before)} choices={choices} onChange={setFrom} />
        <SelectField label="To" value={String(after)} choices={choices} onChange={setTo} />
      </div>
      <VersionDiff agentId={agentId} before={before} after={after} />
    </section>
  );
}

function chosen(versions: readonly AgentVersionEntry[], text: string): number | undefined {
  return versions.find(({ version }) => String(version) === text)?.version;
}
