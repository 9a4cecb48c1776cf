import * as z from 'zod';
import { time } from './response-schemas.ts';

/** Response with the content of an artifact. */
export const ArtifactContent = {
  description: 'The text or the bytes of the artifact, or the requested range',
  content: {
    'text/plain': { schema: z.string() },
    'application/octet-stream': {
      schema: z
        .string()
        .describe('The bytes of an image, audio or other file, with its media type'),
    },
  },
};

export const Artifact = z
  .object({
    id: z.string(),
    run_id: z
      .string()
      .optional()
      .describe('Run of the call; another run for an artifact of a forked run'),
    call_id: z.string().optional().describe('Absent for an upload'),
    media_type: z.string(),
    bytes: z.int(),
    original_bytes: z.int().describe('Larger than `bytes` if the end of the text was not kept'),
    created_at: time,
  })
  .meta({ id: 'Artifact' });

export const ArtifactList = z
  .object({ data: z.array(Artifact), next_cursor: z.string().optional() })
  .meta({ id: 'ArtifactList' });
