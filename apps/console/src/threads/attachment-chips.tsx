import type { ReactNode } from 'react';
import type { Uploads } from '../runs/use-uploads.ts';
import { Button } from '../ui/button.tsx';
import { formatBytes } from '../ui/format.ts';
import { Icon } from '../ui/icon.tsx';
import { printable } from '../ui/printable.ts';
import { BlobImage } from './blob-image.tsx';

/** The files of the next message, with small images. */
export function AttachmentChips({ uploads }: { readonly uploads: Uploads }): ReactNode {
  if (uploads.stored.length === 0) return null;
  return (
    <ul className="chips" aria-label="Attachments of the message">
      {uploads.stored.map(({ id, name, file }) => (
        <li key={id} className="chip">
          {file.type.startsWith('image/') ? (
            <BlobImage blob={file} label="" />
          ) : (
            <Icon name="message" />
          )}
          <bdi>{printable(name)}</bdi>
          <span className="faint">{formatBytes(file.size)}</span>
          <Button
            kind="quiet"
            icon="close"
            label={`Remove ${printable(name)}`}
            onClick={() => uploads.remove(id)}
          >
            {null}
          </Button>
        </li>
      ))}
    </ul>
  );
}
