import { expect, test } from 'vitest';
import { changesIn, type ServerChange } from './follow-changes.ts';

test('changes are read from an event stream, also when it is cut in the middle of a line', async () => {
  const text =
    'event: subscribed\ndata: {"type":"subscribed"}\n\n: heartbeat\n\nevent: resource.updated\ndata: {"type":"resource.updated","uri":"a://ä"}\n\n';
  const bytes = new TextEncoder().encode(text);
  for (const cut of [1, 30, 110, bytes.length - 8]) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.slice(0, cut));
        controller.enqueue(bytes.slice(cut));
        controller.close();
      },
    });
    const changes: ServerChange[] = [];
    for await (const change of changesIn(body)) changes.push(change);
    expect(changes).toEqual([{ type: 'subscribed' }, { type: 'resource.updated', uri: 'a://ä' }]);
  }
});
