import { expect, vi } from 'vitest';
import type { Feature } from './feature.ts';

/** Features of sessions over HTTP. */
export const streams = {
  'resumes a stream that the server closed': async ({ face, requests }) => {
    const before = requests.length;
    expect(await face.callTool('step_away')).toMatchObject({ content: [{ text: 'back again' }] });
    expect(requests.slice(before)).toContainEqual(
      expect.objectContaining({
        method: 'GET',
        headers: expect.objectContaining({
          'last-event-id': expect.any(String) as string,
        }) as object,
      }),
    );
  },
  'resumes a broken stream': async ({ face }) => {
    const heard = Promise.withResolvers<void>();
    const call = face.callTool('lose_connection', {}, { onProgress: () => heard.resolve() });
    await Promise.race([heard.promise, call]);
    await face.callTool('release');
    expect(await call).toMatchObject({ content: [{ text: 'survived' }] });
  },
  'opens a new session when the server forgot its own': async ({
    face,
    forgetSessions,
    requests,
  }) => {
    forgetSessions();
    expect(await face.listPrompts()).toHaveLength(2);
    expect(requests.some(({ status }) => status === 404)).toBe(true);
    expect(await face.callTool('echo', { text: 'again' })).toMatchObject({
      content: [{ text: 'again' }],
    });
  },
  'ends its session': async ({ connect, requests }) => {
    const face = await connect();
    const before = requests.length;
    await face.callTool('state');
    const { headers } = requests[before] ?? {};
    expect(headers).toHaveProperty('mcp-session-id');
    await face.close();
    await vi.waitFor(
      () =>
        expect(requests).toContainEqual(
          expect.objectContaining({
            method: 'DELETE',
            status: expect.toBeOneOf([200, 202, 204]) as number,
          }),
        ),
      { timeout: 10_000 },
    );
  },
} as const satisfies { readonly [name: string]: Feature };
