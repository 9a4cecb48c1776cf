import { expect, test } from 'vitest';
import { expandTemplate, templateVariables } from './uri-template.ts';

test('the variables of a template are found once, with their modifiers removed', () => {
  expect(templateVariables('a://{x}/{+path:3}{/rest*}{?q,x}')).toEqual([
    { name: 'x', isOptional: false },
    { name: 'path', isOptional: false },
    { name: 'rest', isOptional: false },
    { name: 'q', isOptional: true },
  ]);
});

test.each([
  ['a://{x}', { x: 'a b/c' }, 'a://a%20b%2Fc'],
  ['file://{+path}', { path: '/a b/c' }, 'file:///a%20b/c'],
  ['a://h{/x,y}', { x: '1', y: '2' }, 'a://h/1/2'],
  ['a://h{?q,r}', { q: 'x&y', r: '' }, 'a://h?q=x%26y'],
  ['a://h?z=1{&q}', { q: '2' }, 'a://h?z=1&q=2'],
  ['a://h{#part}', { part: 'top' }, 'a://h#top'],
  ['a://h{;v}{.ext}', { v: '1', ext: 'md' }, 'a://h;v=1.md'],
  ['a://{missing}/b', {}, 'a:///b'],
  ['a://{constructor}', {}, 'a://'],
])('%s is expanded', (template, values, uri) => {
  expect(expandTemplate(template, values)).toBe(uri);
});
