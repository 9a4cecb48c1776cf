import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useState, type ReactNode, type SyntheticEvent } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useToast } from '../ui/toast.tsx';
import { useRefreshServer } from './server-queries.ts';

interface RootsFormProps {
  readonly server: string;
  readonly roots: readonly string[];
}

/** The folders that a server gets as its roots, one a line. */
export function RootsForm({ server, roots }: RootsFormProps): ReactNode {
  const { api } = useClient();
  const refresh = useRefreshServer(server);
  const toast = useToast();
  const [text, setText] = useState(roots.join('\n'));
  const save = useMutation({
    mutationFn: () => {
      const lines = text.split('\n').map((line) => line.trim());
      return unwrap(
        api.PUT('/v1/servers/{name}/roots', {
          params: { path: { name: server } },
          body: { roots: lines.filter((line) => line !== '') },
        }),
      );
    },
    onSuccess: async () => {
      toast('The server was notified of its roots');
      await refresh();
    },
  });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <form className="roots" onSubmit={submit}>
      <TextField
        label="Folders"
        type="multiline"
        hint="Absolute paths or file: addresses on the machine of the service, one a line. The change is valid until the service ends."
        value={text}
        onChange={setText}
      />
      {save.error !== null && <ErrorNotice title="The roots were not changed" error={save.error} />}
      <div>
        <Button type="submit" isBusy={save.isPending} isDisabled={text === roots.join('\n')}>
          Set the roots
        </Button>
      </div>
    </form>
  );
}
