import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  officialEverythingServer,
  sdkV2AskingServer,
} from '../../../peers/src/official-servers.ts';
import { serverBin } from '../support/service.ts';
import { InboxService } from './support/inbox-service.ts';

let box: InboxService;
beforeEach(async () => {
  box = await InboxService.create();
});
afterEach(() => box.close());

interface Peer {
  readonly tool: string;
  readonly input?: object;
  readonly args: () => readonly string[];
  readonly era: 'legacy' | 'modern';
}

const filesystem = (era: Peer['era']): Peer => ({
  era,
  tool: 'summarize_file',
  input: { path: 'notes.txt' },
  args: () => [serverBin.filesystem, box.folder],
});

const PEERS: readonly (readonly [string, Peer])[] = [
  ['our filesystem server, legacy', filesystem('legacy')],
  ['our filesystem server, modern', filesystem('modern')],
  [
    'the official legacy server',
    {
      era: 'legacy',
      tool: 'trigger-sampling-request',
      input: { prompt: 'What is six times seven?' },
      args: () => [officialEverythingServer],
    },
  ],
  [
    'a modern server on the official SDK v2',
    { era: 'modern', tool: 'think', args: () => [sdkV2AskingServer, join(box.folder, 'ledger')] },
  ],
];

async function start({ tool, input = {}, args, era }: Peer, policy: object = {}): Promise<string> {
  writeFileSync(join(box.folder, 'notes.txt'), 'What is six times seven?\n');
  await box.start(
    { peer: { command: 'node', args: args(), signalbox: { approval: 'auto', era, ...policy } } },
    [
      {
        prompt: 'think',
        steps: [[{ tool: `peer__${tool}`, input, label: 'thought' }]],
        answer: 'It said: ${result.thought.text}',
      },
    ],
  );
  return (await box.api.start('think')).id;
}

describe.each(PEERS)('%s', (_name, peer) => {
  test('uses the model when a person approves its request at the command line', async () => {
    const id = await start(peer);
    const item = await box.item(id, 'sampling_approval');
    expect(item.request).toMatchObject({
      server: 'peer',
      messages: [{ role: 'user' }],
      max_tokens: expect.any(Number) as number,
      model: expect.stringContaining('scripted') as string,
    });
    expect(JSON.stringify(item.request)).toContain('six times seven');
    expect((await box.cli()).out).toMatch(
      new RegExp(
        String.raw`${item.id} \d+ s sampling_approval may peer ask the model .* \(run: think\)`,
      ),
    );
    expect(await box.cli('answer', item.id, 'approve')).toMatchObject({ code: 0 });
    expect((await box.api.settled(id)).answer).toContain('forty-two');
    expect(await box.audit(id)).toEqual([
      'policy tool_call allowed',
      'policy sampling_approval asked',
      'person sampling_approval approved',
      'service sampling_approval succeeded',
      'service tool_call succeeded',
    ]);
  });

  test('receives the refusal of a person', async () => {
    const id = await start(peer);
    await box.respond(await box.item(id, 'sampling_approval'), { action: 'deny' });
    const run = await box.api.settled(id);
    expect(run.answer).not.toContain('forty-two');
    const usage = (await box.api.events(id)).filter((event) => event.type === 'usage.updated');
    expect(usage.map((event) => event.data['source'])).not.toContain('server');
    expect(await box.audit(id)).toContain('person sampling_approval denied');
  });

  test('gets the result of the edited request and the edited reply', async () => {
    const id = await start(peer, { samplingReview: true });
    const request = await box.item(id, 'sampling_approval');
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Kindly: what is six times seven?' } },
    ];
    await box.cli(
      'answer',
      request.id,
      'approve',
      '--content',
      JSON.stringify({ messages, max_tokens: 10 }),
    );
    const reply = await box.item(id, 'sampling_reply');
    expect(reply.request).toMatchObject({ text: 'forty-two' });
    await box.respond(reply, { action: 'approve', content: { text: 'fifty-four' } });
    const { answer } = await box.api.settled(id);
    expect(answer).toContain('fifty-four');
    expect(answer).not.toContain('forty-two');
  });
});

test('a server without permission for sampling gets an error, without an inbox item', async () => {
  const refused = await start(filesystem('modern'), { sampling: 'deny' });
  expect((await box.api.settled(refused)).answer).not.toContain('forty-two');
  expect(await box.api.get(`/v1/inbox?run_id=${refused}`)).toEqual({ data: [] });
});
