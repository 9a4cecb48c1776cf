import * as z from 'zod';
import { TOOL_CALL_STATES } from '../ports/store/tool-call.ts';
import { Run } from './run-response-schemas.ts';
import { time } from './response-schemas.ts';
import { json } from './schemas.ts';

export const waitingFields = {
  reason: z.enum([
    'connections_busy',
    'connection_opening',
    'server_restarting',
    'question_held',
    'rate_limited',
  ]),
  message: z.string(),
  since: time,
};

export const ToolCall = z
  .object({
    id: z.string(),
    run_id: z.string(),
    turn: z.int(),
    name: z.string().describe('The wire name, server__tool'),
    server: z
      .string()
      .optional()
      .describe('Absent for tools of the service itself and for unknown tools'),
    tool: z.string(),
    arguments: json,
    state: z.enum(TOOL_CALL_STATES),
    waiting: z
      .object(waitingFields)
      .optional()
      .describe(
        'Present while the call waits for a connection to its server or for its turn in the rate limit of the server. A call that is `planned` was not sent',
      ),
    attempt: z.int(),
    idempotency_key: z.string(),
    result: z.unknown().optional(),
    artifact_id: z
      .string()
      .optional()
      .describe(
        'Present if the text of the result is longer than 64 KiB: the artifact with the full text',
      ),
    error: z.string().optional(),
    cancel: z.enum(['sent', 'delivered', 'confirmed', 'failed']).optional(),
    is_shortened: z
      .literal(true)
      .optional()
      .describe(
        'Present in lists when long parts of arguments or result are truncated, empty or left out; GET /v1/runs/{id}/tool-calls/{call_id} returns them in full',
      ),
    created_at: time,
    finished_at: time.optional(),
  })
  .meta({ id: 'ToolCall' });

export const ToolCallList = z
  .object({ data: z.array(ToolCall), next_cursor: z.string().optional() })
  .meta({ id: 'ToolCallList' });

export const CallRun = Run.extend({ call: ToolCall }).meta({ id: 'CallRun' });
