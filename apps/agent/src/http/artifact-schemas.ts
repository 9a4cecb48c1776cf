import * as z from 'zod';

export const ArtifactHeaders = z.looseObject({
  range: z.string().optional().describe('`bytes=FROM-TO`, `bytes=FROM-` or `bytes=-LAST`'),
});
