import { useMutation, useQuery } from '@tanstack/react-query';
import { ProblemError, unwrap, type Client, type Tool } from '@signalbox/client';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { useRequestKey } from '../app/request-key.ts';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { errorsBelow, type FormValue } from '../ui/schema-form/form-value.ts';
import { SchemaForm } from '../ui/schema-form/schema-form.tsx';
import { Spinner } from '../ui/spinner.tsx';

interface CallAgainDialogProps {
  /** Wire name of the tool. */
  readonly name: string;
  readonly server: string;
  readonly callId: string;
  readonly arguments: FormValue;
  readonly onClose: () => void;
}

const FORM_ID = 'call-again';

/** Calls the tool of a call again, with other arguments if the person changes them, in a run of its own. */
export function CallAgainDialog(props: CallAgainDialogProps): ReactNode {
  const { name, server, callId, onClose } = props;
  const client = useClient();
  const [value, setValue] = useState(props.arguments);
  const tool = useQuery({
    queryKey: ['tool', server, name],
    queryFn: ({ signal }) => findTool(client, { server, name, signal }),
  });
  const key = useRequestKey();
  const call = useMutation({
    mutationFn: () => {
      const body = { arguments: value, metadata: { repeats: callId } };
      const params = { path: { name }, header: { 'Idempotency-Key': key.of(body) } };
      return unwrap(client.api.POST('/v1/tools/{name}/call', { params, body }));
    },
    onSuccess: ({ id }) => {
      onClose();
      navigate(`/runs/${id}`);
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    call.mutate();
  };
  const fields = call.error instanceof ProblemError ? call.error.fields : [];
  return (
    <Dialog
      title={`Call ${name} again`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button
            kind="primary"
            type="submit"
            form={FORM_ID}
            icon="retry"
            isBusy={call.isPending}
            isDisabled={tool.isPending}
          >
            Call again
          </Button>
        </>
      }
    >
      <p className="faint">
        The call is a run of its own, without a model. It needs the same approvals as before.
      </p>
      {call.error !== null && (
        <ErrorNotice title="The call could not be started" error={call.error} />
      )}
      {tool.isPending ? (
        <Spinner label="Loading the tool" />
      ) : (
        <form id={FORM_ID} onSubmit={submit}>
          <SchemaForm
            schema={tool.data?.input_schema ?? { type: 'object' }}
            value={value}
            onChange={setValue}
            errors={errorsBelow(fields, '/body/arguments')}
          />
        </form>
      )}
    </Dialog>
  );
}

interface ToolQuery {
  readonly server: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Returns a tool that runs may use, or null. Without its schema the arguments are edited as JSON. */
async function findTool(
  { api }: Client,
  { server, name, signal }: ToolQuery,
): Promise<Tool | null> {
  const { data } = await unwrap(
    api.GET('/v1/servers/{name}/tools', {
      params: { path: { name: server }, query: { limit: 1000 } },
      signal,
    }),
  );
  return data.find((tool) => tool.name === name) ?? null;
}
