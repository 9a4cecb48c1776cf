import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { useDraft } from '../app/drafts.ts';
import { Link } from '../app/link.tsx';
import { useRequestKey } from '../app/request-key.ts';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { DiffView } from '../ui/diff/diff-view.tsx';
import { describeError, ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { useToast } from '../ui/toast.tsx';
import { AgentConflict } from './agent-conflict.tsx';
import {
  definitionOf,
  definitionText,
  draftOf,
  EMPTY_AGENT,
  type AgentDraft,
} from './agent-draft.ts';
import { AgentForm } from './agent-form.tsx';
import {
  createAgent,
  isConflict,
  readAgent,
  replaceAgent,
  type TaggedAgent,
} from './agent-store.ts';
import { DeleteAgentDialog } from './delete-agent-dialog.tsx';
import { readUnsaved, unsavedText } from './unsaved-agent.ts';

interface AgentEditorProps {
  /** Undefined for a new agent. */
  readonly id: string | undefined;
}

/** The form of a stored or a new agent. */
export function AgentEditor({ id }: AgentEditorProps): ReactNode {
  const client = useClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['agent', id],
    enabled: id !== undefined,
    queryFn: ({ signal }) => readAgent(client, id ?? '', signal),
    // The form keeps its values while a person edits them; a conflict is found when it is saved.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (id === undefined) return <Editor stored={undefined} />;
  if (data !== undefined) return <Editor stored={data} />;
  if (error === null) return <Spinner label="Loading the agent" />;
  return (
    <ErrorNotice
      title="The agent could not be loaded"
      error={error}
      onRetry={() => void refetch()}
    />
  );
}

/** A draft that is being saved, and the version that it replaces. */
interface Save {
  readonly base: TaggedAgent | undefined;
  readonly draft: AgentDraft;
}

function Editor({ stored }: { readonly stored: TaggedAgent | undefined }): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const [kept, keep] = useDraft(`agent.${stored?.agent.id ?? 'new'}`);
  const [unsaved] = useState(() => readUnsaved(kept));
  // A draft belongs to the version that it changes. If that is no longer the stored one, saving it is a conflict.
  const [version, setVersion] = useState(() => withTag(stored, unsaved?.etag));
  const [draft, setDraft] = useState(() => unsaved?.draft ?? initialDraft(stored));
  const [conflict, setConflict] = useState(() =>
    stored?.etag === version?.etag ? undefined : stored,
  );
  const [isDeleting, setIsDeleting] = useState(false);

  const key = useRequestKey();
  const save = useMutation({
    mutationFn: async ({ base, draft: sent }: Save) => {
      const definition = definitionOf(sent);
      if (base !== undefined) return replaceAgent(client, base, definition);
      return {
        agent: await createAgent(client, definition, key.of(definition)),
        etag: undefined,
      };
    },
    onSuccess: ({ agent, etag }, { draft: sent }) => {
      void queries.invalidateQueries({ queryKey: ['agents'] });
      setConflict(undefined);
      if (etag === undefined) {
        keep('');
        toast('The agent was created');
        navigate(`/agents/${encodeURIComponent(agent.id)}`, { replace: true });
        return;
      }
      toast('The agent was saved');
      setVersion({ agent, etag });
      // The form can have changed while it was saved.
      keep(draft === sent ? '' : unsavedText({ etag, draft }));
    },
    onError: async (error) => {
      if (version === undefined || !isConflict(error)) return;
      try {
        setConflict(await readAgent(client, version.agent.id));
      } catch (problem) {
        toast(describeError(problem), 'bad');
      }
    },
  });

  // The first field that the service rejected may be out of view.
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (save.error !== null)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [save.error]);

  const before = textOf(initialDraft(version));
  const after = textOf(draft);
  const isChanged = before !== after;
  const change = (next: AgentDraft): void => {
    setDraft(next);
    keep(textOf(next) === before ? '' : unsavedText({ etag: version?.etag, draft: next }));
  };
  const startFrom = (next: TaggedAgent | undefined): void => {
    setVersion(next);
    setDraft(initialDraft(next));
    setConflict(undefined);
    keep('');
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate({ base: version, draft });
  };
  const title = version === undefined ? 'New agent' : printable(version.agent.name);
  return (
    <>
      <p className="back">
        <Link href="/agents">
          <Icon name="chevron" />
          All agents
        </Link>
      </p>
      <PageHeader title={title} actions={<Actions version={version} onDelete={setIsDeleting} />}>
        {version !== undefined && (
          <p className="faint">
            Version {version.agent.version}, made <Time at={version.agent.updated_at} />. Runs that
            have begun keep the version they began with.
          </p>
        )}
      </PageHeader>
      <form ref={form} className="agent-form" onSubmit={submit} noValidate>
        {save.error !== null && !isConflict(save.error) && (
          <ErrorNotice title="The agent could not be saved" error={save.error} />
        )}
        {conflict !== undefined && (
          <AgentConflict
            theirs={conflict}
            mine={after}
            isBusy={save.isPending}
            onOverwrite={() => save.mutate({ base: conflict, draft })}
            onTakeTheirs={() => startFrom(conflict)}
          />
        )}
        <AgentForm draft={draft} onChange={change} error={save.error} />
        {version !== undefined && isChanged && (
          <details className="card changes">
            <summary>Changes since the stored version</summary>
            <DiffView label="Changes since the stored version" before={before} after={after} />
          </details>
        )}
        <div className="actions save-bar">
          <Button
            type="submit"
            kind="primary"
            icon="check"
            isDisabled={!isChanged || draft.name.trim() === ''}
            isBusy={save.isPending}
          >
            {version === undefined ? 'Create the agent' : 'Save the changes'}
          </Button>
          {isChanged && (
            <Button onClick={() => startFrom(conflict ?? version)}>Discard the changes</Button>
          )}
        </div>
      </form>
      {isDeleting && version !== undefined && (
        <DeleteAgentDialog agent={version.agent} onClose={() => setIsDeleting(false)} />
      )}
    </>
  );
}

interface ActionsProps {
  readonly version: TaggedAgent | undefined;
  readonly onDelete: (isDeleting: boolean) => void;
}

function Actions({ version, onDelete }: ActionsProps): ReactNode {
  if (version === undefined) return null;
  return (
    <>
      <Link className="button" href={`/runs/new?agent=${encodeURIComponent(version.agent.id)}`}>
        <Icon name="play" />
        Start a run
      </Link>
      <Link className="button" href={`/threads/new?agent=${encodeURIComponent(version.agent.id)}`}>
        <Icon name="message" />
        Chat
      </Link>
      <Link className="button" href={`/agents/${encodeURIComponent(version.agent.id)}/versions`}>
        <Icon name="clock" />
        Versions
      </Link>
      <Button kind="danger" onClick={() => onDelete(true)}>
        Delete
      </Button>
    </>
  );
}

function withTag(
  stored: TaggedAgent | undefined,
  etag: string | undefined,
): TaggedAgent | undefined {
  return stored === undefined || etag === undefined ? stored : { ...stored, etag };
}

function initialDraft(version: TaggedAgent | undefined): AgentDraft {
  return version === undefined ? EMPTY_AGENT : draftOf(version.agent);
}

function textOf(draft: AgentDraft): string {
  return definitionText(definitionOf(draft));
}
