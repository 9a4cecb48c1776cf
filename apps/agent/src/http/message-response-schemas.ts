import * as z from 'zod';
import { time } from './response-schemas.ts';

export const Message = z
  .object({
    id: z.string(),
    run_id: z.string(),
    turn: z.int().describe('Turn of the run; 0 for the messages that the run began with'),
    role: z.enum(['user', 'assistant']),
    created_at: time.optional(),
    content: z
      .array(z.record(z.string(), z.unknown()))
      .describe('MCP content blocks, and tool_use, tool_result, reasoning and refusal'),
  })
  .meta({ id: 'Message' });

export const MessageList = z
  .object({ data: z.array(Message), next_cursor: z.string().optional() })
  .meta({ id: 'MessageList' });
