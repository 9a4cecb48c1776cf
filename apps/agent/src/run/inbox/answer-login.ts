import type { ToolCall } from '../../ports/store/tool-call.ts';
import { sendAfterLogin } from '../calls/await-login.ts';
import type { Change } from '../core/commits.ts';
import type { Uses } from '../core/engine-parts.ts';
import { failCall } from '../ledger/call-states.ts';
import { noteOf, type InboxResponse } from './check-response.ts';

/** Sends a call again after a login, or fails it as the person decided. */
export async function answerLogin(
  context: Uses<'enqueue' | 'clock'>,
  change: Change,
  { call, response }: { readonly call: ToolCall; readonly response: InboxResponse },
): Promise<void> {
  if (response.action === 'retry') return sendAfterLogin(context, change, call);
  const text = `This call was not made: its server needs a login, and a person declined it.${noteOf(response)} Do not send it again unless the user asks for it.`;
  await failCall(context, change, { call, message: 'A person declined the login.', text });
}
