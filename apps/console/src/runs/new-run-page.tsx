import { useMutation, useQuery } from '@tanstack/react-query';
import { ProblemError, unwrap, type NewRun as RunRequest } from '@signalbox/client';
import type { KeyboardEvent, ReactNode, SyntheticEvent } from 'react';
import { useDraft } from '../app/drafts.ts';
import { useRequestKey } from '../app/request-key.ts';
import { navigate, useAddress } from '../app/router.ts';
import { useClient, useSession } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Attachments } from './attachments.tsx';
import { curlCommand } from './curl.ts';
import { EMPTY_DRAFT, newRunOf, readDraft, type RunDraft } from './run-draft.ts';
import { RunOptions } from './run-options.tsx';
import { useUploads } from './use-uploads.ts';
import './new-run-page.css';

/** Tasks that the demonstration without a model can solve. */
const DEMOS = [
  'Which customers bought most?',
  'Compare the weather in Oslo, Lisbon and Cairo',
  'Where on the equator is it warmest?',
  'Which packages are in this workspace and which has the most source files?',
];

/** The form for a new run. `?agent=` chooses an agent, and `?version=` one of its versions. */
export function NewRunPage(): ReactNode {
  const { searchParams } = useAddress();
  const agentId = searchParams.get('agent') ?? '';
  const agentVersion = searchParams.get('version') ?? '';
  return <NewRun key={`${agentId}.${agentVersion}`} chosen={{ agentId, agentVersion }} />;
}

interface NewRunProps {
  /** Agent and version that are chosen at first. */
  readonly chosen: Pick<RunDraft, 'agentId' | 'agentVersion'>;
}

/** The form. A link that names an agent or a version has a draft of its own. */
function NewRun({ chosen }: NewRunProps): ReactNode {
  const client = useClient();
  const { apiKey } = useSession();
  const [stored, store] = useDraft(`run.${chosen.agentId}.${chosen.agentVersion}`);
  const draft = readDraft(stored, { ...EMPTY_DRAFT, ...chosen });
  const setDraft = (next: RunDraft): void => store(JSON.stringify(next));
  const uploads = useUploads();
  const body: RunRequest = {
    ...newRunOf(draft),
    ...(uploads.stored.length > 0 && { artifacts: uploads.stored.map(({ id }) => id) }),
  };
  const key = useRequestKey();
  const start = useMutation({
    mutationFn: () => client.runs.create(body, { idempotencyKey: key.of(body) }),
    onSuccess: ({ id }) => {
      store('');
      navigate(`/runs/${id}`);
    },
  });
  const canStart = draft.prompt.trim() !== '' && !uploads.isUploading;
  const submit = (event?: SyntheticEvent): void => {
    event?.preventDefault();
    if (canStart && !start.isPending) start.mutate();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
  };
  return (
    <>
      <PageHeader title="New run" />
      <form className="new-run" onSubmit={submit}>
        <ScriptedNotice onChoose={(prompt) => setDraft({ ...draft, prompt })} />
        {start.error !== null && (
          <ErrorNotice title="The run could not be started" error={start.error} />
        )}
        <div className="field">
          <label htmlFor="prompt">Task</label>
          <textarea
            id="prompt"
            rows={6}
            required
            maxLength={200_000}
            placeholder="Say what the agent should find out or do, and how you want the answer."
            value={draft.prompt}
            aria-invalid={hasProblem(start.error, '/body/prompt')}
            onChange={(event) => setDraft({ ...draft, prompt: event.target.value })}
            onKeyDown={onKeyDown}
          />
        </div>
        <Attachments uploads={uploads} />
        <RunOptions draft={draft} onChange={setDraft} />
        <div className="actions">
          <Button
            type="submit"
            kind="primary"
            icon="play"
            isDisabled={!canStart}
            isBusy={start.isPending}
          >
            Start the run
          </Button>
          <CopyButton
            label="Copy as curl"
            text={() =>
              curlCommand(`${location.origin}/v1/runs`, body, { needsKey: apiKey !== undefined })
            }
          />
          <span className="faint">
            <kbd>Ctrl</kbd> <kbd>Enter</kbd> starts it, too.
          </span>
        </div>
      </form>
    </>
  );
}

function hasProblem(error: Error | null, path: string): boolean {
  return error instanceof ProblemError && error.fields.some((field) => field.path === path);
}

/** Offers the tasks of the demonstration where no model is configured. */
function ScriptedNotice({ onChoose }: { readonly onChoose: (prompt: string) => void }): ReactNode {
  const { api } = useClient();
  const { data } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => unwrap(api.GET('/healthz', { signal })),
    staleTime: 60_000,
  });
  if (data?.scripted !== true) return null;
  return (
    <div className="notice">
      <Icon name="signal" />
      <div>
        <strong>No model is configured</strong>
        <p>
          Scripted answers stand in for one, and only the tool calls are real. Start a
          demonstration:
        </p>
        <div className="demos">
          {DEMOS.map((prompt) => (
            <Button key={prompt} onClick={() => onChoose(prompt)}>
              {prompt}
            </Button>
          ))}
        </div>
        <p className="faint">
          For tasks of your own, set <code>OPENAI_API_KEY</code> or <code>ANTHROPIC_API_KEY</code>{' '}
          and start the service again.
        </p>
      </div>
    </div>
  );
}
