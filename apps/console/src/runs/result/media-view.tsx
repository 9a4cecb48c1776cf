import { useCallback, useMemo, type ReactNode } from 'react';

interface MediaViewProps {
  readonly kind: 'image' | 'audio';
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** An image or a sound of a result. */
export function MediaView({ kind, data, mimeType }: MediaViewProps): ReactNode {
  const blob = useMemo(() => toBlob(data, mimeType), [data, mimeType]);
  if (blob === undefined)
    return <p className="faint">This {kind} is not valid: its data are not base64.</p>;
  return <BlobView kind={kind} blob={blob} />;
}

/** An image or a sound that was loaded. */
export function BlobView({
  kind,
  blob,
}: {
  readonly kind: 'image' | 'audio';
  readonly blob: Blob;
}): ReactNode {
  // The address exists as long as the element does.
  const attach = useCallback(
    (element: HTMLImageElement | HTMLAudioElement | null) => {
      if (element === null) return undefined;
      const url = URL.createObjectURL(blob);
      element.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [blob],
  );
  return kind === 'image' ? (
    <img ref={attach} className="result-image" alt={`Result of the tool (${blob.type})`} />
  ) : (
    // Sounds of tools have no captions.
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    <audio ref={attach} controls />
  );
}

function toBlob(data: string, mimeType: string): Blob | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new Blob([bytes], { type: mimeType });
  } catch {
    return undefined;
  }
}
