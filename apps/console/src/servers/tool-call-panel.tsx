import { useMutation } from '@tanstack/react-query';
import { ProblemError, unwrap, type Tool } from '@signalbox/client';
import { useState, type KeyboardEvent, type ReactNode, type SyntheticEvent } from 'react';
import { useRequestKey } from '../app/request-key.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { errorsBelow, type FormValue } from '../ui/schema-form/form-value.ts';
import { initialValue } from '../ui/schema-form/initial-value.ts';
import { SchemaForm } from '../ui/schema-form/schema-form.tsx';
import { ToolCallWatch } from './tool-call-watch.tsx';

/** Calls a tool with arguments from a form, and shows the last call. */
export function ToolCallPanel({ tool }: { readonly tool: Tool }): ReactNode {
  const { api } = useClient();
  const [value, setValue] = useState<FormValue>(() => initialValue(tool.input_schema));
  const key = useRequestKey();
  const call = useMutation({
    mutationFn: () => {
      const body = { arguments: { ...value } };
      const params = { path: { name: tool.name }, header: { 'Idempotency-Key': key.of(body) } };
      return unwrap(api.POST('/v1/tools/{name}/call', { params, body }));
    },
    onSuccess: key.renew,
  });
  const errors =
    call.error instanceof ProblemError ? errorsBelow(call.error.fields, '/body/arguments') : {};
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!call.isPending) call.mutate();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    event.currentTarget.requestSubmit();
  };
  return (
    <>
      <section className="card" aria-labelledby="call-tool">
        <h3 id="call-tool">Call it</h3>
        {/* The keys belong to the fields inside. */}
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
        <form className="call-form" onSubmit={submit} onKeyDown={onKeyDown}>
          <SchemaForm
            schema={tool.input_schema}
            value={value}
            onChange={setValue}
            errors={errors}
          />
          {call.error !== null && (
            <ErrorNotice title="The call was not accepted" error={call.error} />
          )}
          <div className="actions">
            <Button type="submit" kind="primary" icon="play" isBusy={call.isPending}>
              Call the tool
            </Button>
          </div>
        </form>
      </section>
      {call.data !== undefined && <ToolCallWatch key={call.data.id} runId={call.data.id} />}
    </>
  );
}
