import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { serverBin } from '../support/service.ts';
import { InboxService } from './support/inbox-service.ts';

/** The service of most tests, or of the one test that has its own. */
let box: InboxService;
const fileOf = (name: string): string => join(box.folder, 'files', name);

const server = (args: readonly string[] = [], policy: object = {}): object => ({
  command: 'node',
  args: [serverBin.filesystem, ...args, fileOf('')],
  signalbox: { trust: true, ...policy },
});

/** Runs that write and delete with the tools of a server; the prompts for all servers but `files` end with its name. */
function scriptsOf(name: string): Parameters<InboxService['start']>[1] {
  const end = name === 'files' ? '' : ` as ${name}`;
  const remove = (path: string, more: object = {}) => [
    { tool: `${name}__delete_file`, input: { path, ...more }, label: 'deleted' },
  ];
  return [
    {
      prompt: `delete one${end}`,
      steps: [remove('one.txt')],
      answer: 'It said: ${result.deleted.text}',
    },
    {
      prompt: `delete both${end}`,
      steps: [remove('one.txt'), remove('two.txt')],
      answer: 'both are gone',
    },
    {
      prompt: `delete old${end}`,
      steps: [remove('old', { recursive: true })],
      answer: 'It said: ${result.deleted.text}',
    },
    {
      prompt: `read${end}`,
      steps: [[{ tool: `${name}__read_text_file`, input: { path: 'one.txt' }, label: 'read' }]],
      answer: 'It said: ${result.read.text}',
    },
  ];
}

/** Two files, and a directory with one. */
function writeFiles(): void {
  mkdirSync(fileOf('old'), { recursive: true });
  for (const name of ['one.txt', 'two.txt', 'old/three.txt']) writeFileSync(fileOf(name), 'x');
}

beforeAll(async () => {
  box = await InboxService.create();
  writeFiles();
  const rules = [
    { tools: 'read_*', policy: 'auto' },
    { tools: 'delete_file', policy: 'deny' },
  ];
  const servers = {
    files: server(),
    ruled: server([], { trust: false, approvals: rules }),
    legacy: server([], { era: 'legacy' }),
    modern: server([], { era: 'modern' }),
  };
  await box.start(servers, Object.keys(servers).flatMap(scriptsOf));
});
afterAll(() => box.close());
beforeEach(() => writeFiles());

/** Gives the running test a service in a process of its own, with one server. */
async function startOwnProcess(): Promise<void> {
  const shared = box;
  box = await InboxService.create();
  onTestFinished(async () => {
    await box.close();
    box = shared;
  });
  writeFiles();
  await box.startProcess({ files: server() }, scriptsOf('files'));
}

describe('a tool call that needs approval', () => {
  test('shows its arguments and is sent once it is approved by REST', async () => {
    const { id } = await box.api.start('delete one');
    const item = await box.item(id, 'tool_approval');
    expect(item.request).toMatchObject({
      server: 'files',
      tool: 'delete_file',
      arguments: { path: 'one.txt' },
      annotations: { destructiveHint: true },
      remember: ['call', 'run'],
    });
    expect(existsSync(fileOf('one.txt'))).toBe(true);
    await box.respond(item, { action: 'approve' });
    expect(await box.api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'It said: Deleted one.txt (1 entry).',
    });
    expect(existsSync(fileOf('one.txt'))).toBe(false);
    expect(await box.audit(id)).toEqual([
      'policy tool_call asked',
      'person tool_call approved',
      'service tool_call succeeded',
    ]);
  });

  test('is sent with the arguments that a person gives at the command line, checked against the schema of the tool', async () => {
    const { id } = await box.api.start('delete one');
    const item = await box.item(id, 'tool_approval');
    const listed = await box.cli();
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(
      new RegExp(
        String.raw`^${item.id} \d+ s tool_approval may files__delete_file be called with \{"path":"one\.txt"\} \(run: delete one\)\n$`,
      ),
    );
    expect((await box.cli('show', item.id)).out).toContain('  arguments: {"path":"one.txt"}');
    const wrong = await box.cli('answer', item.id, 'approve', '--arguments', '{"file":"two.txt"}');
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringMatching(/arguments: Invalid arguments.*"path" is missing/) as string,
    });
    const right = await box.cli('answer', item.id, 'approve', '--arguments', '{"path":"two.txt"}');
    expect(right).toMatchObject({ code: 0, out: `tool_approval ${item.id}: approved\n` });
    const run = await box.api.settled(id);
    expect(run.answer).toContain(
      'A person changed the arguments of this call before it was made. It was made with: {"path":"two.txt"}',
    );
    expect([existsSync(fileOf('one.txt')), existsSync(fileOf('two.txt'))]).toEqual([true, false]);
    expect(await box.audit(id)).toContain('person tool_call approved_with_changes');
  });

  test('is not sent when it is denied at the command line, and the model reads the note', async () => {
    const { id } = await box.api.start('delete one');
    const item = await box.item(id, 'tool_approval');
    expect(await box.cli('answer', item.id, 'deny', '--note', 'it is needed')).toMatchObject({
      code: 0,
    });
    expect((await box.api.settled(id)).answer).toContain(
      'A person denied this call; it was not made. Note: it is needed',
    );
    expect(existsSync(fileOf('one.txt'))).toBe(true);
    expect(await box.cli('answer', item.id, 'approve')).toMatchObject({
      code: 1,
      err: expect.stringContaining('is no longer open: it is delivered') as string,
    });
  });

  test('needs approval once if the approval is remembered for the run, until the approval is deleted', async () => {
    const { id } = await box.api.start('delete both');
    await box.cli(
      'answer',
      (await box.item(id, 'tool_approval')).id,
      'approve',
      '--remember',
      'run',
    );
    expect(await box.api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'both are gone',
    });
    expect(await box.audit(id)).toContain('remembered tool_call allowed');
    const { data } = await box.api.get<{ readonly data: readonly { readonly id: string }[] }>(
      `/v1/approvals?run_id=${id}`,
    );
    expect(data).toMatchObject([{ run_id: id, server: 'files', tool: 'delete_file' }]);
    const forget = async (): Promise<number> =>
      (await fetch(`${box.url}/v1/approvals/${data[0]!.id}`, { method: 'DELETE' })).status;
    expect([await forget(), await forget()]).toEqual([204, 404]);
    expect(await box.audit(id)).toContain('person tool_call forgotten');
  });

  test('waits across a crash of the service, and is sent once', async () => {
    await startOwnProcess();
    const { id } = await box.api.start('delete one');
    const item = await box.item(id, 'tool_approval');
    await box.restart();
    await box.respond(item, { action: 'approve' });
    expect(await box.api.settled(id)).toMatchObject({ status: 'completed' });
    expect(existsSync(fileOf('one.txt'))).toBe(false);
  });
});

test('an approval is not valid for a server whose launch definition has changed', async () => {
  await startOwnProcess();
  const { id } = await box.api.start('delete one');
  const item = await box.item(id, 'tool_approval');
  await box.restart({ files: server(['--log-level', 'debug']) });
  await box.respond(item, { action: 'approve' });
  const again = await box.item(id, 'tool_approval');
  expect(again.request['reason']).toBe(
    'since the approval the launch definition of the server changed',
  );
  expect((await box.cli('show', again.id)).out).toContain(
    'approval needed again: since the approval the launch definition of the server changed',
  );
  expect(existsSync(fileOf('one.txt'))).toBe(true);
  await box.respond(again, { action: 'approve' });
  expect(await box.api.settled(id)).toMatchObject({ status: 'completed' });
  expect(existsSync(fileOf('one.txt'))).toBe(false);
});

test('rules by tool name allow or refuse calls without an approval', async () => {
  const reading = await box.api.start('read as ruled');
  expect(await box.api.settled(reading.id)).toMatchObject({ answer: 'It said: x' });
  const deleting = await box.api.start('delete one as ruled');
  expect((await box.api.settled(deleting.id)).answer).toContain(
    'The configuration of this service does not allow calls of the tool delete_file of ruled.',
  );
  expect(existsSync(fileOf('one.txt'))).toBe(true);
});

test('rules of an agent leave out tools, ask where the configuration does not, and undo none of its denials', async () => {
  const agentWith = async (name: string, rules: object): Promise<string> =>
    (await box.api.post<{ readonly id: string }>('/v1/agents', { name, ...rules })).id;
  const reader = await agentWith('reader', {
    tools: { deny: ['*__delete_*'] },
    approvals: [{ tools: 'files__read_*', policy: 'ask' }],
  });
  const deleting = await box.api.start('delete one', { agent_id: reader });
  const deleted = await box.api.settled(deleting.id);
  expect(deleted.answer).toContain('files__delete_file is not one of the tools of this run');
  expect(deleted).toMatchObject({ agent_version: 1, tools: { deny: ['*__delete_*'] } });
  const reading = await box.api.start('read', { agent_id: reader });
  await box.respond(await box.item(reading.id, 'tool_approval'), { action: 'approve' });
  expect((await box.api.settled(reading.id)).answer).toBe('It said: x');

  const loose = await agentWith('loose', { approvals: [{ tools: '*', policy: 'auto' }] });
  const denied = await box.api.start('delete one as ruled', { agent_id: loose });
  expect((await box.api.settled(denied.id)).answer).toContain(
    'The configuration of this service does not allow calls of the tool delete_file of ruled.',
  );
  expect(existsSync(fileOf('one.txt'))).toBe(true);
});

test.each(['legacy', 'modern'] as const)(
  'a deletion that the server itself confirms is confirmed twice, by the host and by the server, in the %s era',
  async (era) => {
    const { id } = await box.api.start(`delete old as ${era}`);
    await box.respond(await box.item(id, 'tool_approval'), { action: 'approve' });
    const question = await box.item(id, 'elicitation_form');
    expect(question.request['message']).toContain(
      'old with 1 files and 0 directories in it is deleted for good',
    );
    expect(existsSync(fileOf('old/three.txt'))).toBe(true);
    const schema = question.request['requested_schema'] as {
      readonly required?: readonly string[];
    };
    const content = Object.fromEntries((schema.required ?? []).map((field) => [field, true]));
    await box.cli('answer', question.id, 'accept', '--content', JSON.stringify(content));
    expect(await box.api.settled(id)).toMatchObject({
      status: 'completed',
      answer: 'It said: Deleted old (2 entries).',
    });
    expect(existsSync(fileOf('old'))).toBe(false);
  },
);
