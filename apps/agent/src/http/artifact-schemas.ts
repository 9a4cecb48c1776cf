import * as z from 'zod';

/** Response with the content of an artifact. */
export const ArtifactContent = {
  description: 'The text or the bytes, or the range of them',
  content: {
    'text/plain': { schema: z.string() },
    'application/octet-stream': {
      schema: z
        .string()
        .describe('The bytes of an image, a sound or another file, with its own media type'),
    },
  },
};

export const ArtifactHeaders = z.looseObject({
  range: z.string().optional().describe('`bytes=FROM-TO`, `bytes=FROM-` or `bytes=-LAST`'),
});
