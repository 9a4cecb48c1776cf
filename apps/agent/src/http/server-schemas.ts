import * as z from 'zod';

const uri = z.string().min(1).max(8192);

const completionTarget = z.union([
  z.strictObject({ prompt: z.string().min(1).max(1000) }).describe('A prompt of the server'),
  z.strictObject({ uri_template: uri }).describe('A resource template of the server'),
]);

export const ServerParameters = z.object({ name: z.string().min(1).max(100) });

export const PromptParameters = ServerParameters.extend({ prompt: z.string().min(1).max(1000) });

export const ResourceQuery = z.strictObject({ uri: uri.describe('The URI of the resource') });

export const ChangesQuery = z.strictObject({
  uri: z
    .union([uri, z.array(uri).max(256)])
    .optional()
    .describe('URIs of resources to follow; may be repeated'),
});

export const PromptArguments = z.strictObject({
  arguments: z
    .record(z.string(), z.string())
    .optional()
    .describe('Arguments by name; all values are strings'),
});

export const CompletionRequest = z
  .strictObject({
    of: completionTarget,
    argument: z.strictObject({
      name: z.string().min(1).max(1000),
      value: z.string().max(8192).describe('Text typed so far'),
    }),
    chosen: z.record(z.string(), z.string()).optional().describe('Values of the earlier arguments'),
  })
  .meta({ id: 'CompletionRequest' });

export const ServerToolParameters = ServerParameters.extend({ tool: z.string().min(1).max(1000) });

export const ServerMode = z
  .strictObject({
    mode: z
      .enum(['graceful', 'now'])
      .default('graceful')
      .describe(
        'graceful: after the calls in flight have ended, without new calls; now: at once, so that calls in flight are lost',
      ),
  })
  .meta({ id: 'ServerMode' });

export const ApproveTool = z
  .strictObject({
    digest: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('Digest of the reviewed definition; refused if the definition has changed since'),
  })
  .meta({ id: 'ApproveTool' });

export const ApproveTools = z
  .strictObject({
    tools: z
      .union([
        z.literal('all'),
        z
          .array(
            z.strictObject({
              tool: z.string().min(1).max(1000),
              digest: z
                .string()
                .min(1)
                .max(100)
                .optional()
                .describe('Digest of the reviewed definition'),
            }),
          )
          .min(1)
          .max(1000),
      ])
      .describe('all: every quarantined tool of the server'),
  })
  .meta({ id: 'ApproveTools' });

export const ServerRoots = z
  .strictObject({
    roots: z.array(z.string().min(1).max(4096)).max(100).describe('Absolute paths or file: URLs'),
  })
  .meta({ id: 'ServerRoots' });
