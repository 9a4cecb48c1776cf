import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { useQueryParam } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { ResultView } from '../runs/result/result-view.tsx';
import { Button } from '../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { LongText, PlainText } from '../ui/plain-text.tsx';
import { printable } from '../ui/printable.ts';
import { Spinner } from '../ui/spinner.tsx';
import { ChooseList } from './choose-list.tsx';
import { CompletionField } from './completion-field.tsx';
import { promptArguments, textIn } from './mcp-object.ts';
import { useServerList, type McpObject } from './server-queries.ts';
import { subtitleOf } from './subtitle.ts';

/** The prompts of a server, and a form for each that fills it in. */
export function PromptsTab({ server }: { readonly server: string }): ReactNode {
  const [chosen] = useQueryParam('prompt');
  const { data, error, refetch } = useServerList(server, 'prompts');
  const prompt = data?.find((each) => textIn(each, 'name') === chosen);
  if (error !== null)
    return (
      <ErrorNotice
        title="The prompts could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Spinner label="Loading the prompts" />;
  if (data.length === 0)
    return (
      <EmptyState title="No prompts" icon="message">
        <p>A prompt is a message that a server writes from a few arguments. This one has none.</p>
      </EmptyState>
    );
  return (
    <ChooseList
      label="Prompts"
      param="prompt"
      entries={data.map((each) => {
        const id = textIn(each, 'name') ?? '';
        const text = subtitleOf(id, textIn(each, 'title'), textIn(each, 'description'));
        return { id, title: printable(id), text: printable(text) };
      })}
      hint="Choose a prompt to fill it in."
    >
      {prompt === undefined ? (
        <p className="faint">The server does not offer this prompt.</p>
      ) : (
        <PromptView key={chosen} server={server} prompt={prompt} />
      )}
    </ChooseList>
  );
}

function PromptView({
  server,
  prompt,
}: {
  readonly server: string;
  readonly prompt: McpObject;
}): ReactNode {
  const { api } = useClient();
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const name = textIn(prompt, 'name') ?? '';
  const description = textIn(prompt, 'description');
  const fill = useMutation({
    mutationFn: () =>
      unwrap(
        api.POST('/v1/servers/{name}/prompts/{prompt}', {
          params: { path: { name: server, prompt: name } },
          body: {
            arguments: Object.fromEntries(
              Object.entries(values).filter(([, value]) => value !== ''),
            ),
          },
        }),
      ),
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!fill.isPending) fill.mutate();
  };
  return (
    <article className="tool-view" aria-labelledby="prompt-name">
      <form className="card call-form" onSubmit={submit}>
        <h2 id="prompt-name">
          <PlainText text={name} />
        </h2>
        {description !== undefined && <LongText text={description} />}
        {promptArguments(prompt).map((argument) => (
          <CompletionField
            key={argument.name}
            server={server}
            of={{ prompt: name }}
            name={argument.name}
            description={argument.description}
            isRequired={argument.isRequired}
            values={values}
            onChange={(value) => setValues({ ...values, [argument.name]: value })}
          />
        ))}
        {fill.error !== null && (
          <ErrorNotice title="The prompt could not be filled in" error={fill.error} />
        )}
        <div>
          <Button type="submit" kind="primary" isBusy={fill.isPending}>
            Fill in the prompt
          </Button>
        </div>
      </form>
      {fill.data !== undefined && (
        <section className="card" aria-label="Messages of the prompt">
          {fill.data.messages.map((message, index) => (
            // Messages have no other identity than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <div key={index} className="prompt-message">
              <h3>{message['role'] === 'assistant' ? 'Assistant' : 'User'}</h3>
              <ResultView result={{ content: [message['content']].flat() }} />
            </div>
          ))}
        </section>
      )}
    </article>
  );
}
