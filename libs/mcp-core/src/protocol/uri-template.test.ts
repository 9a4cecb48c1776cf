import { describe, expect, test } from 'vitest';
import { UriTemplate } from './uri-template.ts';

describe('UriTemplate', () => {
  test.each<[string, string, { [name: string]: string } | undefined]>([
    ['test://template/{id}/data', 'test://template/123/data', { id: '123' }],
    ['test://template/{id}/data', 'test://template/a%2Fb%20c/data', { id: 'a/b c' }],
    ['test://template/{id}/data', 'test://template/a/b/data', undefined],
    ['test://template/{id}/data', 'test://template//data', undefined],
    ['test://template/{id}/data', 'test://template/1/data/', undefined],
    ['test://template/{id}', 'test://template/%zz', undefined],
    ['test://template/{id}', 'test://template/1?x=1', undefined],
    ['test://{id}', 'test://line\nbreak', { id: 'line\nbreak' }],
    ['point://{x,y}', 'point://1,2', { x: '1', y: '2' }],
    ['point://{x,y}', 'point://1', undefined],
    ['file:///{+path}', 'file:///a/b.txt', { path: 'a/b.txt' }],
    ['file:///{+path}/raw', 'file:///a/b/raw', { path: 'a/b' }],
    ['repo://x{/owner,name}', 'repo://x/me/it', { owner: 'me', name: 'it' }],
    ['repo://x{/owner,name}', 'repo://x/me', undefined],
    ['doc://{name}{.format}', 'doc://read.me', { name: 'read', format: 'me' }],
    ['doc://{name}{#part}', 'doc://readme#a/b', { name: 'readme', part: 'a/b' }],
    ['find://all{?q,limit}', 'find://all?q=a%26b&limit=5', { q: 'a&b', limit: '5' }],
    ['find://all{?q,limit}', 'find://all?limit=5', { limit: '5' }],
    ['find://all{?q,limit}', 'find://all', {}],
    ['find://all{?q,limit}', 'find://all?q=', { q: '' }],
    ['find://all{?q,limit}', 'find://all?other=1', undefined],
    ['find://all{?q,limit}', 'find://all?q=1&q=2', undefined],
    ['find://all?v=1{&q}', 'find://all?v=1&q=x', { q: 'x' }],
    ['find://all?v=1{&q}', 'find://all?v=2&q=x', undefined],
    ['plain://a.b', 'plain://a.b', {}],
    ['plain://a.b', 'plain://aXb', undefined],
  ])('%s reads %s as %j', (template, uri, values) => {
    expect(new UriTemplate(template).match(uri)).toEqual(values);
  });

  test('returns the names of its variables', () => {
    expect(new UriTemplate('a://{b}{/c,d}{?e}').variables).toEqual(['b', 'c', 'd', 'e']);
  });

  test.each([
    ['a://{b', 'A brace is not closed'],
    ['a://b}', 'A brace is not closed'],
    ['a://{}', 'cannot be read back'],
    ['a://{b*}', 'cannot be read back'],
    ['a://{b:3}', 'cannot be read back'],
    ['a://{;b}', 'cannot be read back'],
    ['a://{?b}/c', 'cannot be read back'],
    ['a://{b}/{b}', 'A variable is repeated'],
  ])('refuses %s', (template, message) => {
    expect(() => new UriTemplate(template)).toThrow(message);
  });

  test.each([
    ['a://{b}/{c}{/d}', `a://${'x'.repeat(100_000)}`],
    ['a://{b}-{c}-{d}', `a://${'-'.repeat(100_000)}/`],
    ['{b}{c}{d}', `${'x'.repeat(100_000)}/`],
    ['a://{+b}/{+c}/e/{+d}/', `a://${'/'.repeat(100_000)}e`],
  ])('%s reads a long URI in no time', (template, uri) => {
    const before = process.threadCpuUsage();
    expect(new UriTemplate(template).match(uri)).toBeUndefined();
    expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
  });

  test('matches no URI of more than 8192 characters', () => {
    const template = new UriTemplate('a://{+path}');
    const uri = `a://${'x'.repeat(8192 - 4)}`;
    expect(template.match(uri)).toEqual({ path: 'x'.repeat(8192 - 4) });
    expect(template.match(`${uri}x`)).toBeUndefined();
  });
});
