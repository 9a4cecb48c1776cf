import { useQuery } from '@tanstack/react-query';
import { unwrap, type Artifact } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { describeError } from '../ui/error-notice.tsx';
import { formatBytes } from '../ui/format.ts';
import { LongText } from '../ui/plain-text.tsx';
import { BlobImage } from './blob-image.tsx';

const TEXT = /^(?:text\/|application\/(?:json|xml|yaml))/;

/** The files that a person attached to a run: images, and texts that can be opened. */
export function RunAttachments({ runId }: { readonly runId: string }): ReactNode {
  const { api } = useClient();
  const { data, error } = useQuery({
    queryKey: ['artifacts', runId],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/v1/runs/{id}/artifacts', { params: { path: { id: runId } }, signal })),
    staleTime: Infinity,
  });
  if (error !== null) return <p className="faint">{describeError(error)}</p>;
  const attached = data?.data.filter(({ call_id }) => call_id === undefined) ?? [];
  if (attached.length === 0) return null;
  return (
    <ul className="chat-attachments" aria-label="Attachments">
      {attached.map((artifact) => (
        <li key={artifact.id}>
          <Attachment artifact={artifact} />
        </li>
      ))}
    </ul>
  );
}

function Attachment({ artifact }: { readonly artifact: Artifact }): ReactNode {
  const { id, media_type, bytes } = artifact;
  const { api } = useClient();
  const isImage = media_type.startsWith('image/');
  const isText = TEXT.test(media_type);
  const [isOpen, setIsOpen] = useState(isImage);
  const { data, error } = useQuery({
    queryKey: ['artifact', id, 'content'],
    enabled: isOpen,
    queryFn: async ({ signal }) => {
      const blob = await unwrap(
        api.GET('/v1/artifacts/{id}', { params: { path: { id } }, parseAs: 'blob', signal }),
      );
      return {
        blob,
        text: isText ? await blob.text() : '',
      };
    },
    staleTime: Infinity,
  });
  return (
    <>
      {isImage && data !== undefined && (
        <BlobImage blob={data.blob} label={`Attached image, ${formatBytes(bytes)}`} />
      )}
      {!isImage && (
        <p className="attachment-name">
          {media_type} <span className="faint">{formatBytes(bytes)}</span>
          {isText && (
            <Button kind="quiet" onClick={() => setIsOpen(!isOpen)}>
              {isOpen ? 'Hide' : 'Show'}
            </Button>
          )}
        </p>
      )}
      {isOpen && isText && data !== undefined && <LongText text={data.text} isCode />}
      {error !== null && <p className="faint">{describeError(error)}</p>}
    </>
  );
}
