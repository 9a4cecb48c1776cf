import { useId, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { formatBytes } from '../ui/format.ts';
import { printable } from '../ui/printable.ts';
import type { Uploads } from './use-uploads.ts';

/** Files for a run. A file is stored when it is chosen. */
export function Attachments({ uploads }: { readonly uploads: Uploads }): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Files</label>
      <input
        id={id}
        type="file"
        multiple
        disabled={uploads.isUploading}
        aria-describedby={`${id}-hint`}
        onChange={(event) => {
          uploads.add([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      <div id={`${id}-hint`} className="field-notes" role="status">
        {uploads.isUploading
          ? 'Storing the files…'
          : 'Texts and images of at most 4 MiB. The model reads them when it needs them.'}
      </div>
      {uploads.error !== null && (
        <ErrorNotice title="A file could not be stored" error={uploads.error} />
      )}
      <ul className="attachments">
        {uploads.stored.map(({ id: artifactId, name, file }) => (
          <li key={artifactId}>
            <bdi>{printable(name)}</bdi> <span className="faint">{formatBytes(file.size)}</span>
            <Button
              kind="quiet"
              icon="close"
              label={`Remove ${printable(name)}`}
              onClick={() => uploads.remove(artifactId)}
            >
              {null}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
