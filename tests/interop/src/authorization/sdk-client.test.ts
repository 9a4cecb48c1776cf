import {
  startAuthorizationServer,
  type AuthorizationServer,
} from '@signalbox/authorization-server';
import { DpopSessionV2 } from '../../../peers/src/sdk-v2-clients.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveOurs, startWeather, type ProtectedServer } from './protected-servers.ts';
import { SdkHost, type Era } from './sdk-login.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];

let authorizationServer: AuthorizationServer;

beforeAll(async () => {
  authorizationServer = await startAuthorizationServer({
    scopes: ['notes:read', 'notes:write', 'weather'],
  });
});

afterAll(() => authorizationServer.stop());

describe.each(ERAS)('the client of the official SDK, in the %s era,', (era) => {
  let ours: ProtectedServer;
  let weather: ProtectedServer;

  beforeAll(async () => {
    [ours, weather] = await Promise.all([
      serveOurs(authorizationServer),
      startWeather(authorizationServer),
    ]);
  });

  afterAll(async () => {
    await Promise.all([ours.stop(), weather.stop()]);
  });

  test('logs in to our server with the scopes of its challenge', async () => {
    await using host = new SdkHost({ url: ours.url, era }, authorizationServer);
    authorizationServer.decide({ subject: 'ada' });
    expect(await host.callTool('whoami')).toMatchObject({
      structuredContent: { principal: 'ada', scopes: ['notes:read'] },
    });
    expect(host.era).toBe(era);
    expect(host.requestedScopes).toEqual(['notes:read']);
    expect(ours.log()).toBe('');
  });

  test('asks for the scopes of a tool when it is called', async () => {
    await using host = new SdkHost({ url: ours.url, era }, authorizationServer);
    await host.callTool('whoami');
    expect(await host.callTool('remove')).toMatchObject({ content: [{ text: 'removed' }] });
    expect(host.requestedScopes.map((scopes) => scopes?.split(' ').toSorted())).toEqual([
      ['notes:read'],
      ['notes:read', 'notes:write'],
    ]);
  });

  test('binds its tokens to a key, with the nonces of our server', async () => {
    const bound = await serveOurs(authorizationServer, {
      dpop: { isRequired: true, needsNonce: true },
    });
    const dpop = await DpopSessionV2.create();
    await using host = new SdkHost({ url: bound.url, era, dpop }, authorizationServer);
    for (let call = 0; call < 3; call += 1)
      expect(await host.callTool('whoami')).toMatchObject({
        structuredContent: { principal: 'ada' },
      });
    expect(bound.log()).toBe('');
    await bound.stop();
  });

  test('logs in to our weather server, started with --auth-issuer, which logs no token', async () => {
    await using host = new SdkHost({ url: weather.url, era }, authorizationServer);
    expect(await host.callTool('weather_current', { location: 'Berlin' })).toMatchObject({
      structuredContent: { location: { name: 'Berlin' } },
    });
    expect(host.requestedScopes).toEqual(['weather']);
    expect(weather.log()).toContain('tool=weather_current');
    expect(weather.log()).toContain('refused status=401 challenge=Bearer scope="weather"');
    // Every JWT begins so.
    expect(weather.log()).not.toContain('eyJ');
  });
});
