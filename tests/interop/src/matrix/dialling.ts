import { httpTransport } from '@signalbox/mcp-core/http/client';
import { HttpClientTransportV1, SseClientTransportV1 } from '../../../peers/src/sdk-v1-clients.ts';
import { HttpClientTransportV2, SseClientTransportV2 } from '../../../peers/src/sdk-v2-clients.ts';
import type { Opened } from './cell.ts';
import type { ClientFace } from './client-face.ts';
import { connectOurClient } from './clients/our-client.ts';
import { connectV1Client } from './clients/v1-client.ts';
import { connectV2Client, type V2Negotiation } from './clients/v2-client.ts';
import type { Hosted } from './hosting/host-http.ts';

/** Connects a client to the server at a URL. */
export type Dial = (url: URL) => Promise<ClientFace>;

export async function openHosted(host: () => Promise<Hosted>, dial: Dial): Promise<Opened> {
  const hosted = await host();
  return {
    connect: () => dial(hosted.url),
    requests: hosted.requests,
    forgetSessions: hosted.forgetSessions,
    close: () => hosted.close(),
  };
}

export const dialV1: Dial = (url) =>
  connectV1Client(new HttpClientTransportV1(url, { reconnectionOptions: FAST }));

export const dialV1Sse: Dial = (url) =>
  connectV1Client(new SseClientTransportV1(new URL('/sse', url)));

export const dialV2 =
  (negotiation: V2Negotiation): Dial =>
  (url) =>
    connectV2Client(new HttpClientTransportV2(url, { reconnectionOptions: FAST }), negotiation);

export const dialV2Sse: Dial = (url) =>
  connectV2Client(new SseClientTransportV2(new URL('/sse', url)), 'legacy');

export const dialOurs =
  (era: 'auto' | 'legacy' | 'modern'): Dial =>
  (url) =>
    connectOurClient(() => httpTransport({ url: url.href }), era);

export const dialOursSse =
  (era: 'auto' | 'legacy'): Dial =>
  (url) =>
    connectOurClient(() => httpTransport({ url: new URL('/sse', url).href, legacySse: true }), era);

/** Short reconnection delays for the official clients. */
const FAST = {
  initialReconnectionDelay: 20,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 20,
};
