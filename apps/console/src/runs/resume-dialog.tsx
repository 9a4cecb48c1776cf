import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap, type Run } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { TextField } from '../ui/text-field.tsx';
import { runQueryKey } from './timeline/run-timeline.ts';

interface ResumeDialogProps {
  readonly run: Run;
  readonly onClose: () => void;
  readonly onResumed: () => void;
}

/** Limits that a person can raise, with the number of units of the API in one unit of the form. */
const LIMITS = [
  { name: 'turns', label: 'Turns', factor: 1 },
  { name: 'tool_calls', label: 'Tool calls', factor: 1 },
  { name: 'wall_clock_ms', label: 'Duration in minutes', factor: 60_000 },
  { name: 'tokens', label: 'Tokens', factor: 1 },
  { name: 'cost_usd', label: 'US dollars', factor: 1 },
] as const;

/** Continues a failed or expired run, with higher limits if the person sets some. */
export function ResumeDialog({ run, onClose, onResumed }: ResumeDialogProps): ReactNode {
  const { api } = useClient();
  const queries = useQueryClient();
  const [values, setValues] = useState<{ readonly [name: string]: string }>({});
  const resume = useMutation({
    mutationFn: () => {
      const limits = Object.fromEntries(
        LIMITS.flatMap(({ name, factor }) => {
          const value = Number(values[name]);
          return value > 0 ? [[name, value * factor]] : [];
        }),
      );
      return unwrap(
        api.POST('/v1/runs/{id}/resume', {
          params: { path: { id: run.id } },
          body: Object.keys(limits).length === 0 ? {} : { limits },
        }),
      );
    },
    onSuccess: (changed) => {
      queries.setQueryData<Run>(runQueryKey(run.id), changed);
      onResumed();
      onClose();
    },
  });
  return (
    <Dialog
      title="Resume this run"
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button
            kind="primary"
            icon="play"
            isBusy={resume.isPending}
            onClick={() => resume.mutate()}
          >
            Resume
          </Button>
        </>
      }
    >
      <p>It continues after its last turn. Calls that have ended are not repeated.</p>
      {resume.error !== null && (
        <ErrorNotice title="The run could not be resumed" error={resume.error} />
      )}
      <div className="limit-fields">
        {LIMITS.map(({ name, label, factor }) => {
          const current = run.limits[name];
          return (
            <TextField
              key={name}
              label={label}
              type="number"
              value={values[name] ?? ''}
              hint={current === undefined ? 'No limit' : `Now ${current / factor}`}
              onChange={(value) => setValues({ ...values, [name]: value })}
            />
          );
        })}
      </div>
    </Dialog>
  );
}
