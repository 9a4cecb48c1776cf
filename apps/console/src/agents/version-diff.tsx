import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { DiffView } from '../ui/diff/diff-view.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { definitionOf, definitionText, draftOf } from './agent-draft.ts';
import { readVersion } from './agent-store.ts';

interface VersionDiffProps {
  readonly agentId: string;
  readonly before: number;
  readonly after: number;
}

/** The difference of two versions of an agent, line by line. */
export function VersionDiff({ agentId, before, after }: VersionDiffProps): ReactNode {
  const client = useClient();
  const [first, second] = useQueries({
    queries: [before, after].map((version) => ({
      queryKey: ['agent-version', agentId, version],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const { definition } = await readVersion(client, agentId, version, signal);
        return definitionText(definitionOf(draftOf(definition)));
      },
      // A version never changes.
      staleTime: Infinity,
    })),
  });
  const error = first?.error ?? second?.error;
  if (error !== null && error !== undefined)
    return <ErrorNotice title="The versions could not be compared" error={error} />;
  if (first?.data === undefined || second?.data === undefined)
    return <Spinner label="Loading the definitions" />;
  return (
    <DiffView
      label={`Differences from version ${before} to version ${after}`}
      before={first.data}
      after={second.data}
    />
  );
}
