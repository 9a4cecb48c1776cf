import { useMutation } from '@tanstack/react-query';
import { useId, type ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatBytes } from '../ui/format.ts';
import { printable } from '../ui/printable.ts';

/** A file that was stored for a run. */
export interface Attachment {
  /** Id of the artifact. */
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
}

interface AttachmentsProps {
  readonly attachments: readonly Attachment[];
  readonly onChange: (attachments: readonly Attachment[]) => void;
}

/** Files for a run. A file is stored when it is chosen. */
export function Attachments({ attachments, onChange }: AttachmentsProps): ReactNode {
  const { artifacts } = useClient();
  const id = useId();
  const upload = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const stored: Attachment[] = [];
      for (const file of files) {
        const artifact = await artifacts.create(file);
        stored.push({ id: artifact.id, name: file.name, bytes: file.size });
      }
      return stored;
    },
    onSuccess: (stored) => onChange([...attachments, ...stored]),
  });
  return (
    <div className="field">
      <label htmlFor={id}>Files</label>
      <input
        id={id}
        type="file"
        multiple
        disabled={upload.isPending}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          upload.mutate([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <div id={`${id}-hint`} className="field-notes">
        Texts and images of at most 4 MiB. The model reads them when it needs them.
      </div>
      {upload.error !== null && (
        <ErrorNotice title="The file could not be stored" error={upload.error} />
      )}
      <ul className="attachments">
        {attachments.map((attachment) => (
          <li key={attachment.id}>
            <bdi>{printable(attachment.name)}</bdi>{' '}
            <span className="faint">{formatBytes(attachment.bytes)}</span>
            <Button
              kind="quiet"
              icon="close"
              label={`Remove ${attachment.name}`}
              onClick={() => onChange(attachments.filter((each) => each !== attachment))}
            >
              {null}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
