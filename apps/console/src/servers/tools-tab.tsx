import type { ServerDetail, Tool } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useQueryParam } from '../app/router.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { TextField } from '../ui/text-field.tsx';
import { ChooseList } from './choose-list.tsx';
import { ChangedTools } from './changed-tools.tsx';
import { useServerTools } from './server-queries.ts';
import { subtitleOf } from './subtitle.ts';
import { ToolView } from './tool-view.tsx';

/** Tools from which a list is worth a search. */
const MANY = 8;

/** The tools of a server: those that changed, and beside the list the one that the address names. */
export function ToolsTab({ server }: { readonly server: ServerDetail }): ReactNode {
  const [chosen] = useQueryParam('tool');
  const [search, setSearch] = useState('');
  const { data: tools, error, refetch } = useServerTools(server.name);
  const tool = tools?.find((each) => each.tool === chosen);
  const found = tools?.filter((each) => matches(each, search)) ?? [];
  return (
    <>
      <ChangedTools server={server} />
      {error !== null && (
        <ErrorNotice
          title="The tools could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {tools === undefined && error === null && <Spinner label="Loading the tools" />}
      {tools?.length === 0 && (
        <EmptyState title="No tools" icon="tool">
          <p>
            The server offers no tools, or is not connected. Tools that the configuration denies and
            tools whose definition changed are left out.
          </p>
        </EmptyState>
      )}
      {tools !== undefined && tools.length > 0 && (
        <ChooseList
          label="Tools"
          param="tool"
          entries={found.map((each) => ({
            id: each.tool,
            title: printable(each.tool),
            text: printable(subtitleOf(each.tool, each.title, each.description)),
          }))}
          search={
            tools.length > MANY && (
              <TextField label="Search tools" type="search" value={search} onChange={setSearch} />
            )
          }
          hint="Choose a tool to see its schema and to call it."
        >
          {tool !== undefined && <ToolView key={tool.name} tool={tool} />}
          {tool === undefined && chosen !== '' && (
            <p className="faint">The server does not offer this tool.</p>
          )}
        </ChooseList>
      )}
    </>
  );
}

function matches({ tool, title = '', description }: Tool, search: string): boolean {
  const text = `${tool} ${title} ${description}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
