import { expect, test } from 'vitest';
import { SamplingTools } from './tool-names.ts';

test('any names are mapped to valid, distinct names and back', () => {
  const plain = new SamplingTools([{ name: 'a.b', inputSchema: { type: 'object' } }]).toWire('a.b');
  const names = ['plain', 'a.b', 'a/b', 'a b', 'поиск', 'é', 'x'.repeat(65), 'x'.repeat(66), plain];
  const tools = new SamplingTools(names.map((name) => ({ name, inputSchema: { type: 'object' } })));
  const wire = tools.specs.map(({ name }) => name);
  expect(new Set(wire).size).toBe(names.length);
  for (const name of wire) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(wire.map((name) => tools.fromWire(name))).toEqual(names);
  expect(wire[0]).toBe('plain');
});

test('an invented name, or a name of an earlier request, is mapped too', () => {
  const tools = new SamplingTools([]);
  expect(tools.fromWire('made_up')).toBe('made_up');
  expect(tools.toWire('a.b')).toMatch(/^a_b_[0-9a-f]{8}$/);
});
