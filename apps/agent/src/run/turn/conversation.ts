import { withImages } from '../results/binary-artifacts.ts';
import type { Message } from '../../ports/llm-provider.ts';
import type { Run } from '../../ports/store/run.ts';
import type { StoreReader } from '../../ports/store.ts';

/**
 * Returns the messages for the model of a run: those of the earlier runs of its thread, then its
 * own. The provider's own items from another epoch are dropped, because they depend on the start of
 * their conversation.
 */
export async function conversationOf(
  read: StoreReader,
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

/** Joins consecutive user messages, which a run that ended early leaves and providers reject. */
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
