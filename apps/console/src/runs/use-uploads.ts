import { useMutation } from '@tanstack/react-query';
import type { Artifact, Client } from '@signalbox/client';
import { useId, useState } from 'react';
import { useClient } from '../app/session.tsx';
import { mediaTypeOf } from './media-type.ts';

/** A file that was stored for the next run. */
export interface Upload {
  /** Id of the artifact. */
  readonly id: string;
  readonly name: string;
  readonly file: File;
}

/** Files of the next run. A file is stored when it is added; the service deletes it after a day without a run. */
export interface Uploads {
  readonly stored: readonly Upload[];
  readonly isUploading: boolean;
  readonly error: Error | null;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
}

/** Returns the files of the next run. */
export function useUploads(): Uploads {
  const client = useClient();
  const [stored, setStored] = useState<readonly Upload[]>([]);
  const id = useId();
  const { mutate, isPending, error } = useMutation({
    // Files that are added during an upload wait for its end, so that `isPending` covers both.
    scope: { id },
    mutationFn: async (files: readonly File[]) => {
      // One after the other: each that succeeds is kept when a later one is rejected.
      for (const file of files) {
        const artifact = await storeFile(client, file);
        setStored((current) => [...current, { id: artifact.id, name: file.name, file }]);
      }
    },
  });
  return {
    stored,
    isUploading: isPending,
    error,
    add: (files) => {
      if (files.length > 0) mutate(files);
    },
    remove: (stale) => setStored((current) => current.filter((each) => each.id !== stale)),
  };
}

/** Stores a file as an artifact. @throws ProblemError, such as `payload_too_large` over 4 MiB */
function storeFile({ artifacts }: Client, file: File): Promise<Artifact> {
  return artifacts.create(file, { mediaType: mediaTypeOf(file) });
}
