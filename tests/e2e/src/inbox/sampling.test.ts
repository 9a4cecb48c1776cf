import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  officialEverythingServer,
  sdkV2AskingServer,
} from '../../../peers/src/official-servers.ts';
import { serverBin } from '../support/service.ts';
import { InboxService } from './support/inbox-service.ts';

let box: InboxService;

interface Peer {
  /** Name of the server in the configuration. */
  readonly server: string;
  readonly tool: string;
  readonly input?: object;
  readonly args: () => readonly string[];
  readonly era: 'legacy' | 'modern';
}

const filesystem = (era: Peer['era']): Peer => ({
  server: `files-${era}`,
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
      server: 'everything',
      era: 'legacy',
      tool: 'trigger-sampling-request',
      input: { prompt: 'What is six times seven?' },
      args: () => [officialEverythingServer],
    },
  ],
  [
    'a modern server on the official SDK v2',
    {
      server: 'sdk-v2',
      era: 'modern',
      tool: 'think',
      args: () => [sdkV2AskingServer, join(box.folder, 'ledger')],
    },
  ],
];

/** The peer with another policy, under another name. */
const reviewed = (peer: Peer): Peer => ({ ...peer, server: `${peer.server}-reviewed` });
const REFUSED: Peer = { ...filesystem('modern'), server: 'refused' };

/** A service with all peers. */
beforeAll(async () => {
  box = await InboxService.create();
  writeFileSync(join(box.folder, 'notes.txt'), 'What is six times seven?\n');
  const peers = PEERS.map(([, peer]) => peer);
  const entry = ({ args, era }: Peer, policy: object = {}): object => ({
    command: 'node',
    args: args(),
    signalbox: { approval: 'auto', era, ...policy },
  });
  await box.start(
    Object.fromEntries([
      ...peers.map((peer) => [peer.server, entry(peer)] as const),
      ...peers.map(
        (peer) => [reviewed(peer).server, entry(peer, { samplingReview: true })] as const,
      ),
      [REFUSED.server, entry(REFUSED, { sampling: 'deny' })],
    ]),
    [...peers, ...peers.map(reviewed), REFUSED].map(({ server, tool, input = {} }) => ({
      prompt: `think with ${server}`,
      steps: [[{ tool: `${server}__${tool}`, input, label: 'thought' }]],
      answer: 'It said: ${result.thought.text}',
    })),
  );
});
afterAll(() => box.close());

async function start({ server }: Peer): Promise<string> {
  return (await box.api.start(`think with ${server}`)).id;
}

describe.each(PEERS)('%s', (_name, peer) => {
  test('uses the model when a person approves its request at the command line', async () => {
    const id = await start(peer);
    const item = await box.item(id, 'sampling_approval');
    expect(item.request).toMatchObject({
      server: peer.server,
      messages: [{ role: 'user' }],
      max_tokens: expect.any(Number) as number,
      model: expect.stringContaining('scripted') as string,
    });
    expect(JSON.stringify(item.request)).toContain('six times seven');
    expect((await box.cli()).out).toMatch(
      new RegExp(
        String.raw`${item.id} \d+ s sampling_approval may ${peer.server} ask the model .* \(run: think with ${peer.server}\)`,
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
    const id = await start(reviewed(peer));
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
  const refused = await start(REFUSED);
  expect((await box.api.settled(refused)).answer).not.toContain('forty-two');
  expect(await box.api.get(`/v1/inbox?run_id=${refused}`)).toEqual({ data: [] });
});
