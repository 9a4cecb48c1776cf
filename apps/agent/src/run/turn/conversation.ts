import { withImages } from '../results/binary-artifacts.ts';
import type { Message } from '../../ports/llm-provider.ts';
import type { Run, RunReader } from '../../ports/run-store.ts';

/**
 * What the model of a run reads: the messages of the runs before it in its thread, then its own. The provider's own items are left out where they were said
 * in another epoch: they are bound to what their conversation began with.
 */
export async function conversationOf(
  read: RunReader,
  { id, threadId, threadPosition = 0 }: Run,
  epoch: string,
): Promise<readonly Message[]> {
  const before =
    threadId === undefined ? [] : await read.threadMessages(threadId, { before: threadPosition });
  const messages = [...before, ...(await read.messages(id))].map(
    ({ role, content, native }): Message => ({
      role,
      content,
      ...(native?.epoch === epoch ? { native } : {}),
    }),
  );
  return withImages(read, joinUserMessages(messages));
}

/** Providers take no two messages of the user in a row; a run that ended early leaves some. */
function joinUserMessages(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === 'user' && message.role === 'user')
      joined[joined.length - 1] = { role: 'user', content: [...last.content, ...message.content] };
    else joined.push(message);
  }
  return joined;
}
