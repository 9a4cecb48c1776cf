import * as z from 'zod';

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

export const ArtifactHeaders = z.looseObject({
  range: z.string().optional().describe('`bytes=FROM-TO`, `bytes=FROM-` or `bytes=-LAST`'),
});
