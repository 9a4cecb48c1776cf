import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ProblemError } from '@signalbox/client';
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { useDraft } from '../app/drafts.ts';
import { Link } from '../app/link.tsx';
import { navigate } from '../app/router.ts';
import type { PageProps } from '../app/routes.tsx';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useToast } from '../ui/toast.tsx';
import {
  definitionOf,
  draftOf,
  EMPTY_DEFINITION,
  type DefinitionDraft,
} from './definition-draft.ts';
import { DefinitionForm } from './definition-form.tsx';
import {
  isConflict,
  putDefinition,
  useDefinition,
  useEditing,
  type TaggedDefinition,
} from './definition-store.ts';
import { EditingHint } from './editing-hint.tsx';
import './server-form.css';
import { readUnsaved, unsavedText } from './unsaved-definition.ts';

/** The form that adds a server. */
export function AddServerPage(): ReactNode {
  return <EditorPage name={undefined} stored={undefined} onReload={undefined} />;
}

/** The form that changes the definition of a server. */
export function EditServerPage({ params: { name = '' } }: PageProps): ReactNode {
  const { data, error, refetch } = useDefinition(name);
  if (data !== undefined)
    return <EditorPage key={data.etag} name={name} stored={data} onReload={() => void refetch()} />;
  return (
    <>
      <PageHeader title={printable(name)} />
      {error === null ? (
        <Spinner label="Loading the definition" />
      ) : (
        <ErrorNotice
          title="The definition could not be loaded"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
    </>
  );
}

interface EditorPageProps {
  /** Undefined for a new server. */
  readonly name: string | undefined;
  readonly stored: TaggedDefinition | undefined;
  /** Loads the stored definition again. */
  readonly onReload: (() => void) | undefined;
}

function EditorPage({ name, stored, onReload }: EditorPageProps): ReactNode {
  const editing = useEditing();
  const title = name === undefined ? 'Add a server' : `Edit ${printable(name)}`;
  const back = name === undefined ? '/servers' : `/servers/${encodeURIComponent(name)}`;
  return (
    <>
      <p className="back">
        <Link href={back}>
          <Icon name="chevron" />
          {name === undefined ? 'All servers' : printable(name)}
        </Link>
      </p>
      <PageHeader title={title}>
        <p className="faint">
          {name === undefined
            ? 'The server is connected at once, and the service keeps it.'
            : 'The server is connected again with the new definition once its calls have ended.'}
        </p>
      </PageHeader>
      {editing === undefined && <Spinner label="Loading the settings" />}
      {editing === 'off' && <EditingHint />}
      {editing !== undefined && editing !== 'off' && (
        <Editor name={name} stored={stored} editing={editing} onReload={onReload} />
      )}
    </>
  );
}

interface EditorProps extends EditorPageProps {
  readonly editing: 'remote' | 'all';
}

function Editor({ name, stored, editing, onReload }: EditorProps): ReactNode {
  const client = useClient();
  const queries = useQueryClient();
  const toast = useToast();
  const initial = stored === undefined ? EMPTY_DEFINITION : draftOf(stored.definition);
  // No server has a name with a plus sign.
  const [kept, keep] = useDraft(`server.${name ?? '+new'}`);
  const [unsaved, setUnsaved] = useState(() => readUnsaved(kept));
  const [newName, setNewName] = useState(unsaved?.name ?? '');
  const [draft, setDraft] = useState(() => ({ ...initial, ...unsaved?.fields }));
  // A draft belongs to the definition that it changes, also after another person changed that.
  const etag = unsaved?.etag ?? stored?.etag;
  const change = (next: DefinitionDraft, nextName = newName): void => {
    setDraft(next);
    setNewName(nextName);
    keep(unsavedText({ etag, name: nextName, draft: next, initial }));
  };
  const save = useMutation({
    mutationFn: async () => {
      const saved = name ?? newName.trim();
      await putDefinition(client, saved, definitionOf(draft), etag);
      return saved;
    },
    onSuccess: (saved) => {
      keep('');
      toast(name === undefined ? 'The server was added' : 'The server was changed');
      void queries.invalidateQueries({ queryKey: ['servers'] });
      navigate(`/servers/${encodeURIComponent(saved)}`, { replace: name !== undefined });
    },
  });
  // The first field that was rejected may be out of view.
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (save.error !== null)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [save.error]);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  const discard = (): void => {
    keep('');
    setUnsaved(undefined);
    setNewName('');
    setDraft(initial);
    save.reset();
  };
  const isChanged = name !== undefined && (isConflict(save.error) || etag !== stored?.etag);
  return (
    <form ref={form} className="server-form" onSubmit={submit} noValidate>
      {save.error !== null && !(save.error instanceof SyntaxError) && !isChanged && (
        <ErrorNotice title="The server could not be saved" error={save.error} />
      )}
      {isChanged && (
        <div className="notice warn" role="alert">
          <Icon name="alert" />
          <div>
            <strong>The server was changed meanwhile</strong>
            <p>Your changes are not saved.</p>
          </div>
          <Button
            onClick={() => {
              discard();
              onReload?.();
            }}
          >
            Load the stored definition
          </Button>
        </div>
      )}
      {unsaved !== undefined && unsaved.omitted.length > 0 && (
        <div className="notice warn">
          <Icon name="alert" />
          <div>
            <strong>Some of your changes must be entered again</strong>
            <p>
              The browser does not keep values that can be secrets: {unsaved.omitted.join(', ')}.
            </p>
          </div>
        </div>
      )}
      {name === undefined && (
        <section className="card">
          <TextField
            label="Name"
            value={newName}
            isRequired
            limits={{ maxLength: 32 }}
            hint="The names of its tools begin with it. 1 to 32 letters, digits, - and _"
            error={nameProblem(save.error)}
            onChange={(next) => change(draft, next)}
          />
        </section>
      )}
      <DefinitionForm
        draft={draft}
        onChange={(next) => change(next)}
        editing={editing}
        error={save.error}
      />
      <div className="actions save-line">
        <Button
          type="submit"
          kind="primary"
          icon="check"
          isBusy={save.isPending}
          isDisabled={name === undefined && newName.trim() === ''}
        >
          {name === undefined ? 'Add the server' : 'Save the changes'}
        </Button>
        {kept !== '' && <Button onClick={discard}>Discard the changes</Button>}
      </div>
    </form>
  );
}

function nameProblem(error: Error | null): string | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  if (error.code === 'precondition_failed') return 'A server has this name already';
  const found = error.fields.find(({ path }) => path === '/path/name');
  return found && printable(found.message);
}
