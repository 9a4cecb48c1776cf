import { useMutation } from '@tanstack/react-query';
import type { Artifact, Client } from '@signalbox/client';
import { useState } from 'react';
import { useClient } from '../app/session.tsx';
import { mediaTypeOf } from './media-type.ts';

/** A file that was stored for the next message. */
export interface Upload {
  /** Id of the artifact. */
  readonly id: string;
  readonly name: string;
  readonly file: File;
}

/** Files of the next message. A file is stored when it is added; the service deletes it after a day without a run. */
export interface Uploads {
  readonly stored: readonly Upload[];
  readonly isUploading: boolean;
  readonly error: Error | null;
  readonly add: (files: readonly File[]) => void;
  readonly remove: (id: string) => void;
  readonly clear: () => void;
}

/** Returns the files of the next message. */
export function useUploads(): Uploads {
  const client = useClient();
  const [stored, setStored] = useState<readonly Upload[]>([]);
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (files: readonly File[]) => {
      // One after the other: each that succeeds is kept when a later one is rejected.
      for (const file of files) {
        const { id } = await storeFile(client, file);
        setStored((current) => [...current, { id, name: file.name, file }]);
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
    remove: (id) => setStored((current) => current.filter((each) => each.id !== id)),
    clear: () => setStored([]),
  };
}

/** Stores a file as an artifact. @throws ProblemError, such as `payload_too_large` over 4 MiB */
function storeFile({ artifacts }: Client, file: File): Promise<Artifact> {
  return artifacts.create(file, { mediaType: mediaTypeOf(file) });
}
