import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useClient } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatBytes } from '../../ui/format.ts';
import { LongText } from '../../ui/plain-text.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { BlobView } from './media-view.tsx';

const TEXT = /^(?:text\/|application\/(?:json|xml|yaml))/;

/** An artifact, such as the full text of a long result. It is loaded when the person asks for it. */
export function ArtifactView({ id }: { readonly id: string }): ReactNode {
  const { api } = useClient();
  const [isOpen, setIsOpen] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['artifact', id],
    enabled: isOpen,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const response = api.GET('/v1/artifacts/{id}', {
        params: { path: { id } },
        parseAs: 'blob',
        signal,
      });
      const blob = await unwrap(response);
      return { blob, text: TEXT.test(blob.type) ? await blob.text() : undefined };
    },
  });
  if (!isOpen) return <Button onClick={() => setIsOpen(true)}>Load the whole result</Button>;
  if (error !== null)
    return (
      <ErrorNotice
        title="The artifact could not be loaded"
        error={error}
        onRetry={() => void refetch()}
      />
    );
  if (data === undefined) return <Spinner label="Loading the artifact" />;
  if (data.text !== undefined) return <LongText text={data.text} isCode />;
  const kind = data.blob.type.split('/')[0];
  if (kind === 'image' || kind === 'audio') return <BlobView kind={kind} blob={data.blob} />;
  return (
    <p className="faint">
      {data.blob.type}, {formatBytes(data.blob.size)}
    </p>
  );
}
