import { expect, test } from 'vitest';
import { scriptedAuthorizationServer } from './authorization-server.test.support.ts';
import { GuardedFetch } from './guarded-fetch.ts';

const PUBLIC_SERVER = 'https://mcp.example/mcp';

test('a loopback address is refused for a server elsewhere, and allowed by its network', async () => {
  const { origin, arrivals } = await scriptedAuthorizationServer(() => ({
    '/a': () => ({ a: 1 }),
  }));
  await expect(new GuardedFetch(PUBLIC_SERVER).json(`${origin}/a`)).rejects.toMatchObject({
    code: 'address-refused',
    message: `${origin}/a was not requested: the host 127.0.0.1 has an address that is not public; add its network to allowedNetworks of the authorization to allow it.`,
  });
  expect(arrivals).toEqual([]);
  const allowed = new GuardedFetch(PUBLIC_SERVER, { allowedNetworks: ['127.0.0.1'] });
  expect(await allowed.json(`${origin}/a`)).toEqual({ a: 1 });
});

test('loopback addresses are allowed for a loopback server, and no other private addresses', async () => {
  const { origin, mcp } = await scriptedAuthorizationServer(() => ({ '/a': () => ({ a: 1 }) }));
  const fetch = new GuardedFetch(mcp);
  expect(await fetch.json(`${origin}/a`)).toEqual({ a: 1 });
  for (const url of [
    'https://10.0.0.1/',
    'https://[::ffff:169.254.169.254]/',
    'https://0x0a000001/',
  ])
    await expect(fetch.json(url)).rejects.toMatchObject({ code: 'address-refused' });
});

test('http: is refused beyond loopback, also when its network is allowed', async () => {
  const fetch = new GuardedFetch(PUBLIC_SERVER, { allowedNetworks: ['10.0.0.0/8'] });
  await expect(fetch.json('http://10.0.0.1/?secret=1')).rejects.toThrow(
    'http://10.0.0.1/ was not requested: the URL begins with http:, which is allowed for loopback addresses only; use https:.',
  );
  await expect(fetch.json('file:///etc/passwd')).rejects.toMatchObject({ code: 'address-refused' });
});

test('a redirect is checked like the first address, and a POST is not redirected', async () => {
  const { origin, mcp, count } = await scriptedAuthorizationServer((own) => ({
    '/away': () => ({ status: 302, headers: { location: 'https://10.0.0.1/' } }),
    '/here': () => ({ status: 307, headers: { location: `${own}/a` } }),
    '/loop': () => ({ status: 302, headers: { location: '/loop' } }),
    '/a': () => ({ a: 1 }),
  }));
  const fetch = new GuardedFetch(mcp);
  await expect(fetch.json(`${origin}/away`)).rejects.toMatchObject({ code: 'address-refused' });
  expect(await fetch.json(`${origin}/here`)).toEqual({ a: 1 });
  const posted = await fetch.fetch(`${origin}/here`, { method: 'POST', body: 'secret=1' });
  expect(posted.status).toBe(307);
  await expect(fetch.json(`${origin}/loop`)).rejects.toMatchObject({ code: 'discovery-failed' });
  expect([count('/a'), count('/loop')]).toEqual([1, 4]);
});

test('a long body is given up', async () => {
  const { origin, mcp } = await scriptedAuthorizationServer(() => ({
    '/long': () => ({ a: 'x'.repeat(300 * 1024) }),
  }));
  await expect(new GuardedFetch(mcp).json(`${origin}/long`)).rejects.toThrow(
    `The request to ${origin}/long failed: the response has more than 262144 bytes.`,
  );
});

test('a silent server is given up after the time limit', async () => {
  const { createServer } = await import('node:net');
  const silent = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as { port: number };
  const fetch = new GuardedFetch('http://127.0.0.1/mcp', { timeoutMs: 20 });
  await expect(fetch.json(`http://127.0.0.1:${port}/`)).rejects.toThrow(
    `The request to http://127.0.0.1:${port}/ failed: no response within 20 ms.`,
  );
  silent.close();
});
