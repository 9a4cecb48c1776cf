import { useMutation, useQuery } from '@tanstack/react-query';
import { ProblemError, unwrap, type NewRun } from '@signalbox/client';
import { useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react';
import { navigate, useAddress } from '../app/router.ts';
import { useClient, useSession } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { Attachments, type Attachment } from './attachments.tsx';
import { curlCommand } from './curl.ts';
import { EMPTY_DRAFT, newRunOf, type RunDraft } from './run-draft.ts';
import { RunOptions } from './run-options.tsx';
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
  const client = useClient();
  const { apiKey } = useSession();
  const { searchParams } = useAddress();
  const [draft, setDraft] = useState<RunDraft>(() => ({
    ...EMPTY_DRAFT,
    agentId: searchParams.get('agent') ?? '',
    agentVersion: searchParams.get('version') ?? '',
  }));
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const body: NewRun = {
    ...newRunOf(draft),
    ...(attachments.length === 0 ? {} : { artifacts: attachments.map(({ id }) => id) }),
  };
  const start = useMutation({
    mutationFn: () => client.runs.create(body),
    onSuccess: ({ id }) => navigate(`/runs/${id}`),
  });
  const canStart = draft.prompt.trim() !== '';
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
        <Attachments attachments={attachments} onChange={setAttachments} />
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
