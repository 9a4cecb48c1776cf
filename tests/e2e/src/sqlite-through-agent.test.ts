import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiClient, framesOf, type Json } from './support/client.ts';
import { writeScenario } from './support/scenario.ts';
import { serverBin, startService, temporaryFolder, type Service } from './support/service.ts';

describe.each(['legacy', 'modern'] as const)(
  'the SQLite server in the %s era, through the service',
  (era) => {
    let folder: Awaited<ReturnType<typeof temporaryFolder>>;
    let service: Service;
    let api: ApiClient;
    let database: Database.Database;

    beforeAll(async () => {
      folder = await temporaryFolder();
      const path = join(folder.path, 'shop.db');
      database = new Database(path).exec(
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ada'), (2, 'Grace')",
      );
      const scenario = await writeScenario(
        folder.path,
        [
          {
            prompt: 'count',
            steps: [
              [
                {
                  tool: 'sqlite__ask_database',
                  input: { question: 'How many users are there?' },
                  label: 'count',
                },
              ],
            ],
            answer: 'It said: ${result.count.text}',
          },
          {
            prompt: 'clear',
            steps: [
              [
                {
                  tool: 'sqlite__write_query',
                  input: { query: 'DELETE FROM users' },
                  label: 'clear',
                },
              ],
            ],
            answer: 'It said: ${result.clear.text}',
          },
        ],
        [{ asked: 'How many users are there', text: 'SELECT count(*) AS n FROM users' }],
      );
      service = await startService({
        folder: folder.path,
        config: {
          llm: { provider: 'scripted', scenario },
          mcpServers: {
            sqlite: {
              command: 'node',
              args: [serverBin.sqlite, path],
              signalbox: { approval: 'auto', era, sampling: 'auto' },
            },
          },
        },
      });
      api = new ApiClient(service.url);
      await vi.waitFor(async () => {
        const { state } = (await api.get('/v1/servers/sqlite')) as { readonly state: string };
        if (state !== 'ready') throw new Error(`The server is ${state}`);
      });
    });
    afterAll(async () => {
      database.close();
      await service.stop();
      await folder.remove();
    });

    /** Starts a run that waits for a person, and returns the message of its form. */
    async function askedBy(prompt: string) {
      const { id } = await api.start(prompt);
      await api.waitFor(id, (event) => event.type === 'inbox.opened');
      const { inbox } = await api.run(id);
      expect(inbox).toMatchObject([{ kind: 'elicitation_form' }]);
      const [item] = inbox;
      return { id, item: item!.id, message: String(item!.request['message']) };
    }

    test('shows its features, completes names and reads resources', async () => {
      expect(await api.get('/v1/servers/sqlite')).toMatchObject({
        era,
        server_info: { name: 'signalbox-sqlite' },
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
      });
      expect(
        await api.get('/v1/servers/sqlite/resources/read?uri=sqlite%3A%2F%2Fmain%2Fusers'),
      ).toMatchObject({ data: [{ text: expect.stringContaining('"rowCount":2') as string }] });
      expect(
        await api.post('/v1/servers/sqlite/completions', {
          of: { uri_template: 'sqlite://{db}/{table}' },
          argument: { name: 'table', value: 'u' },
        }),
      ).toMatchObject({ values: ['users'] });
      expect(
        JSON.stringify(
          await api.post('/v1/servers/sqlite/prompts/query_data', {
            arguments: { question: 'Q?' },
          }),
        ),
      ).toContain('users');
    });

    test('runs a query of the configured model after a person has seen it', async () => {
      const { id, item, message } = await askedBy('count');
      expect(message).toContain('SELECT count(*) AS n FROM users');
      await api.post(`/v1/inbox/${item}/respond`, { action: 'accept', content: { confirm: true } });
      expect((await api.settled(id)).answer).toMatch(/"executed":true.*"rows":\[\[2\]\]/);
    });

    test('deletes nothing when a person declines', async () => {
      const { id, item, message } = await askedBy('clear');
      expect(message).toContain('users');
      await api.post(`/v1/inbox/${item}/respond`, { action: 'decline' });
      expect((await api.settled(id)).answer).toContain('declined');
      expect(database.prepare('SELECT count(*) FROM users').pluck().get()).toBe(2);
    });

    test('reports the change of a table', async () => {
      const leaving = new AbortController();
      const response = await fetch(
        `${service.url}/v1/servers/sqlite/changes?uri=sqlite%3A%2F%2Fmain%2Fusers`,
        { headers: { accept: 'text/event-stream' }, signal: leaving.signal },
      );
      const seen: (string | Json)[] = [];
      for await (const frame of framesOf(response.body!)) {
        const [, event = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
        if (event === 'subscribed') database.exec("INSERT INTO users VALUES (3, 'Joan')");
        if (event === 'resource.updated') {
          seen.push(JSON.parse(data) as Json);
          break;
        }
      }
      leaving.abort();
      expect(seen).toEqual([{ type: 'resource.updated', uri: 'sqlite://main/users' }]);
    });
  },
);
