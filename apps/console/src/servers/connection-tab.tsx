import type { ServerDetail } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { DataTable } from '../ui/data-table.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { LongText, PlainText } from '../ui/plain-text.tsx';
import { Time } from '../ui/time.tsx';
import { RootsForm } from './roots-form.tsx';

/** Shows the connection of a server: processes, waiting calls, roots, instructions and capabilities. */
export function ConnectionTab({ server }: { readonly server: ServerDetail }): ReactNode {
  return (
    <div className="server-sections">
      <section>
        <h2>State</h2>
        <dl className="fact-list">
          <Fact name="In this state since">
            <Time at={server.since} form="full" />
          </Fact>
          <Fact name="Restarts">{server.restarts}</Fact>
          {server.pid !== undefined && <Fact name="Process">{server.pid}</Fact>}
          {server.configured_name !== undefined && (
            <Fact name="Configured as">
              <PlainText text={server.configured_name} />
            </Fact>
          )}
          {server.definition !== undefined && (
            <Fact name="Defined">{DEFINED[server.definition.source]}</Fact>
          )}
          <Fact name="Unanswered calls">
            {server.breaker_failures}
            {server.opens_again_at !== undefined && (
              <>
                {' '}
                · the next call is tried <Time at={server.opens_again_at} />
              </>
            )}
          </Fact>
          {server.rate_limited !== undefined && (
            <Fact name="Over its rate">
              {server.rate_limited.calls} calls wait; the next is sent{' '}
              <Time at={server.rate_limited.next_at} />
            </Fact>
          )}
        </dl>
      </section>
      {server.connections.length > 0 && (
        <section>
          <h2>Connections</h2>
          <DataTable
            label="Connections"
            rows={server.connections}
            keyOf={(_connection, index) => String(index)}
            columns={[
              { id: 'pid', title: 'Process', cell: ({ pid }) => pid ?? 'session' },
              { id: 'calls', title: 'Calls', isNumeric: true, cell: ({ calls }) => calls },
              {
                id: 'questions',
                title: 'Open questions',
                isNumeric: true,
                cell: ({ open_questions: questions }) => questions,
              },
              {
                id: 'runs',
                title: 'Runs',
                cell: ({ run_ids: runs }) =>
                  runs.length === 0 ? 'none' : runs.map((id) => <RunLink key={id} id={id} />),
              },
              { id: 'retiring', title: 'Note', cell: ({ retiring = '' }) => retiring },
            ]}
          />
        </section>
      )}
      {server.waiting_calls.length > 0 && (
        <section>
          <h2>Waiting calls</h2>
          <DataTable
            label="Waiting calls"
            rows={server.waiting_calls}
            keyOf={({ run_id: run, call_id: call }, index) => call ?? `${run}-${index}`}
            columns={[
              { id: 'run', title: 'Run', cell: ({ run_id: run }) => <RunLink id={run} /> },
              { id: 'why', title: 'Waits because', cell: ({ message }) => message },
              { id: 'since', title: 'Since', cell: ({ since }) => <Time at={since} /> },
            ]}
          />
        </section>
      )}
      {server.workers !== undefined && (
        <section>
          <h2>Workers</h2>
          <DataTable
            label="Workers"
            rows={server.workers}
            keyOf={({ id }) => id}
            columns={[
              { id: 'id', title: 'Worker', cell: ({ id }) => id },
              { id: 'state', title: 'State', cell: ({ state }) => state },
              { id: 'since', title: 'Since', cell: ({ since }) => <Time at={since} /> },
              { id: 'error', title: 'Error', cell: ({ error = '' }) => <PlainText text={error} /> },
            ]}
          />
        </section>
      )}
      <section>
        <h2>Roots</h2>
        <RootsForm key={server.roots.join('\n')} server={server.name} roots={server.roots} />
      </section>
      {server.instructions !== undefined && (
        <section>
          <h2>Instructions for models</h2>
          <div className="card">
            <LongText text={server.instructions} />
          </div>
        </section>
      )}
      {server.capabilities !== undefined && (
        <section>
          <h2>Capabilities</h2>
          <div className="card">
            <JsonTree value={server.capabilities} openLevels={1} />
          </div>
        </section>
      )}
    </div>
  );
}

const DEFINED = {
  configuration: 'in the configuration file',
  api: 'here or by the API',
  command_line: 'on the command line; it cannot be edited here',
} as const;

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function RunLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link className="mono" href={`/runs/${encodeURIComponent(id)}`}>
      {id.slice(-8)}
    </Link>
  );
}
