import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  currentDocument,
  geocoded,
  mockServices,
  sendJson,
  springfields,
  startUpstream,
  type Answer,
  type Upstream,
} from '@signalbox/server-weather/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { serverBin } from '../../support/service.ts';
import { StdioPeer, type Era, type PeerOptions } from '../stdio-peer.test.support.ts';

export const program = serverBin.weather;

type Exchange = Parameters<Answer>[0];

/** The weather of the cases: 3.4 °C, 14.2 km/h, rain, of Berlin time. */
const ok = mockServices();
export const normal: Answer = (exchange) => {
  const { url, response } = exchange;
  const name = url.searchParams.get('name')?.toLowerCase();
  if (url.searchParams.has('current') && url.pathname === '/v1/forecast')
    return sendJson(response, currentDocument);
  if (url.pathname === '/v1/search' && name === 'springfield')
    return sendJson(response, { results: springfields });
  if (url.pathname === '/v1/search' && name?.length === 1)
    return sendJson(response, { results: [geocoded(name.charCodeAt(0) - 90, name.toUpperCase())] });
  return ok(exchange);
};

export interface Fixture {
  /** Answers the requests of the current test; the normal answer again in each test. */
  answer: Answer;
  /** Returns the requests since the test began. */
  readonly requests: () => readonly URL[];
  readonly upstream: () => Upstream;
  /** The server of an era without elicitation, shared by the tests of the file. */
  readonly peer: (era: Era) => Promise<StdioPeer>;
  /** Starts another server. */
  readonly start: (
    era: Era,
    args?: readonly string[],
    options?: Omit<PeerOptions, 'era'>,
  ) => Promise<StdioPeer>;
  /** Variables that name the mock as every service. */
  readonly env: () => NodeJS.ProcessEnv;
  /** An empty folder. */
  readonly folder: string;
}

/** Starts the mock before the tests of a file, and ends it and the servers after them. */
export function useFixture(): Fixture {
  let upstream: Upstream;
  let seen = 0;
  const stops: (() => void)[] = [];
  const started: Promise<StdioPeer>[] = [];
  const peers = new Map<Era, Promise<StdioPeer>>();
  const folder = mkdtempSync(path.join(tmpdir(), 'weather-case-'));
  const fixture: Fixture = {
    answer: normal,
    requests: () => upstream.requests.slice(seen),
    upstream: () => upstream,
    env: () =>
      Object.fromEntries(
        ['OPEN_METEO', 'GEOCODING', 'ARCHIVE', 'AIR_QUALITY', 'NWS'].map((service) => [
          `WEATHER_${service}_URL`,
          upstream.url.href,
        ]),
      ),
    start: (era, args = [], options = {}) => {
      const peer = StdioPeer.start(program, args, {
        ...options,
        env: { ...fixture.env(), ...options.env },
        era,
      });
      started.push(peer);
      return peer;
    },
    peer: (era) => {
      const peer = peers.get(era) ?? fixture.start(era);
      peers.set(era, peer);
      return peer;
    },
    folder,
  };
  beforeAll(async () => {
    upstream = await startUpstream(
      (stop) => stops.push(stop),
      (exchange: Exchange) => fixture.answer(exchange),
    );
  });
  beforeEach(() => {
    fixture.answer = normal;
    seen = upstream.requests.length;
  });
  afterAll(async () => {
    await Promise.allSettled(started.map(async (peer) => (await peer)[Symbol.asyncDispose]()));
    for (const stop of stops) stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return fixture;
}

let places = 0;

/** Returns coordinates that no test has used, and no cache has. */
export function newPlace(): string {
  places += 1;
  return `${(52 + places / 1000).toFixed(3)},13`;
}
