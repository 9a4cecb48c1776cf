import { useEffect, useRef, type ReactNode } from 'react';

interface BlobImageProps {
  readonly blob: Blob;
  /** Name for screen readers; empty where text beside the image has it. */
  readonly label: string;
}

/** An image that was loaded. */
export function BlobImage({ blob, label }: BlobImageProps): ReactNode {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const url = URL.createObjectURL(blob);
    if (image.current !== null) image.current.src = url;
    return () => URL.revokeObjectURL(url);
  }, [blob]);
  return <img ref={image} className="attached-image" alt={label} />;
}
