import { expect, test } from 'vitest';
import { connectInMemory } from '../../testing/connect-in-memory.ts';
import { createServer } from '../create-server.ts';

const info = { name: 'test', version: '1.0.0' };
const features = { tools: [], prompts: [], resources: [] };

test('a server declares changes of its lists unless they are fixed', async () => {
  const changing = await connectInMemory(createServer({ info, ...features }));
  expect(changing.server.capabilities).toMatchObject({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true },
  });
  const fixed = await connectInMemory(
    createServer({ info, ...features, settings: { lists: { areFixed: true } } }),
  );
  for (const feature of ['tools', 'prompts', 'resources'] as const) {
    expect(fixed.server.capabilities).toHaveProperty(feature);
    expect(fixed.server.capabilities[feature]).not.toHaveProperty('listChanged');
  }
});

test('fixed lists cannot be replaced', () => {
  const server = createServer({ info, ...features, settings: { lists: { areFixed: true } } });
  expect(() => server.setTools([])).toThrow('The lists of this server are fixed');
  expect(() => server.setPrompts([])).toThrow('The lists of this server are fixed');
  expect(() => server.setResources([])).toThrow('The lists of this server are fixed');
  expect(() => server.setTemplates([])).toThrow('The lists of this server are fixed');
});
