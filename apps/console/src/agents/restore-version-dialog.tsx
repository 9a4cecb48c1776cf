import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { useToast } from '../ui/toast.tsx';
import { isConflict, readVersion, replaceAgent, type TaggedAgent } from './agent-store.ts';
import { VersionDiff } from './version-diff.tsx';

interface RestoreVersionDialogProps {
  readonly current: TaggedAgent;
  /** Version to restore. */
  readonly version: number;
  readonly onClose: () => void;
}

/** Shows the changes that the restoration of a version makes, and asks before it is done. */
export function RestoreVersionDialog({
  current,
  version,
  onClose,
}: RestoreVersionDialogProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const { id, version: before } = current.agent;
  const refresh = (): Promise<void> =>
    queries.invalidateQueries({ queryKey: ['agent-versions', id] });
  const restore = useMutation({
    mutationFn: async () => {
      const { definition } = await readVersion(client, id, version);
      return replaceAgent(client, current, definition);
    },
    onSuccess: async ({ agent }) => {
      toast(
        agent.version === before
          ? `The agent has the definition of version ${version} already`
          : `Version ${version} was restored as version ${agent.version}`,
      );
      void queries.invalidateQueries({ queryKey: ['agents'] });
      await refresh();
      onClose();
    },
    onError: async (error) => {
      if (isConflict(error)) await refresh();
    },
  });
  const { error } = restore;
  return (
    <Dialog
      title={`Restore version ${version}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Keep version {before}</Button>
          <Button
            kind="primary"
            icon="retry"
            isBusy={restore.isPending}
            onClick={() => restore.mutate()}
          >
            Restore version {version}
          </Button>
        </>
      }
    >
      <p>Its definition becomes a new version. New runs use it; runs that have begun do not.</p>
      {error !== null &&
        (isConflict(error) ? (
          <p className="notice warn" role="alert">
            The agent was changed meanwhile. The difference is that to its version {before}.
          </p>
        ) : (
          <ErrorNotice title="The version could not be restored" error={error} />
        ))}
      <VersionDiff agentId={id} before={before} after={version} />
    </Dialog>
  );
}
