import * as z from 'zod';
import { RUN_EVENT_VARIANTS } from './event-response-schemas.ts';
import { Run } from './run-response-schemas.ts';

/** First frame of every stream, and the frame after a `stream.gap`. */
export const RunSnapshotFrame = z
  .object({
    type: z.literal('run.snapshot'),
    run_id: z.string(),
    run: Run,
    partial: z
      .object({ message_id: z.string(), text: z.string() })
      .optional()
      .describe('The unfinished message, with its text so far'),
  })
  .describe('The current state of the run. First frame of every stream; has no id')
  .meta({ id: 'RunSnapshotFrame' });

export const MessageDeltaFrame = z
  .object({
    type: z.literal('message.delta'),
    run_id: z.string(),
    message_id: z.string(),
    kind: z.enum(['text', 'reasoning', 'arguments']),
    tool_use: z
      .object({
        index: z.int().describe('Position among the tool calls of the message'),
        id: z.string(),
        name: z.string(),
      })
      .optional()
      .describe('For kind arguments: the tool call whose arguments, as JSON, grow'),
    offset: z
      .int()
      .describe('Offset in characters within the text, reasoning or arguments of the message'),
    text: z.string(),
  })
  .describe('The next part of an unfinished message; has no id and is not stored')
  .meta({ id: 'MessageDeltaFrame' });

export const StreamGapFrame = z
  .object({ type: z.literal('stream.gap'), run_id: z.string(), reason: z.literal('slow_reader') })
  .describe(
    'message.delta frames were dropped because the reader was too slow; a run.snapshot follows; has no id',
  )
  .meta({ id: 'StreamGapFrame' });

/** JSON after `data:` of each server-sent event of a run stream. */
export const RunStreamFrame = z
  .discriminatedUnion('type', [
    RunSnapshotFrame,
    MessageDeltaFrame,
    StreamGapFrame,
    ...RUN_EVENT_VARIANTS,
  ])
  .describe(
    'The JSON after `data:` of one server-sent event; its `type` is also the `event:` line, and the `seq` of a stored event is the `id:` line',
  )
  .meta({ id: 'RunStreamFrame' });

/** JSON after `data:` of each server-sent event of a server's change stream. */
export const ServerChangeFrame = z
  .discriminatedUnion('type', [
    z
      .object({ type: z.literal('resource.updated'), uri: z.string() })
      .meta({ id: 'ResourceUpdatedFrame' }),
    z
      .object({
        type: z.enum([
          'subscribed',
          'missed',
          'tools.changed',
          'prompts.changed',
          'resources.changed',
        ]),
      })
      .describe('missed: the server was restarted, so any feature may have changed')
      .meta({ id: 'ServerNoticeFrame' }),
  ])
  .describe('The JSON after `data:` of one server-sent event; its `type` is also the `event:` line')
  .meta({ id: 'ServerChangeFrame' });

/** Response to `accept: text/event-stream`. */
export const RUN_STREAM = {
  description: 'The event stream of the run, with `accept: text/event-stream`',
  content: { 'text/event-stream': { schema: RunStreamFrame } },
};

/** Response to `Prefer: wait` or `accept: text/event-stream`. */
export const SETTLED_OR_STREAM = {
  description:
    'The settled run (with `Prefer: wait=N`), or its event stream (with `accept: text/event-stream`)',
  content: { 'application/json': { schema: Run }, ...RUN_STREAM.content },
};
