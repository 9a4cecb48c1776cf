import { fileURLToPath } from 'node:url';
import type { BundledServers } from './bundle-servers.ts';
import type { FiguresByTable } from './figures.ts';
import { implementations, OURS, type HttpMode, type Implementation } from './implementations.ts';
import type { Load } from './load.ts';
import { measureClient } from './measure-client.ts';
import { measureImport } from './measure-import.ts';
import { measureHttpServer, measurePeakMemory, measureStdioServer } from './measure-server.ts';
import { measureSessions } from './measure-sessions.ts';
import { measureEmptyProcess, measureStart } from './measure-start.ts';

export const suites = [
  'start',
  'import',
  'sessions',
  'stdio-server',
  'stdio-10kb',
  'stdio-memory',
  'stdio-client',
  'http-server',
  'event-store',
  'http-client',
] as const;
export type Suite = (typeof suites)[number];

/** A measurement of one implementation, made once in each round. */
export interface Run {
  readonly suite: Suite;
  readonly implementation: string;
  /** Implementations are compared within a variant: an era, an HTTP mode or an entry point. */
  readonly variant: string;
  measure(): Promise<FiguresByTable>;
}

export interface RunOptions {
  readonly load: Load;
  /** Node arguments of every process that runs a library. */
  readonly nodeArguments: readonly string[];
  readonly bundled: BundledServers;
}

export const EMPTY_PROCESS = 'empty process';
/** Name of the built weather server, started as its users start it. */
export const WEATHER_SERVER = 'weather server';
const WEATHER_PROGRAM = fileURLToPath(new URL('../../servers/weather/bin.js', import.meta.url));
export const MANY_TOOLS = 102;
const FEW_TOOLS = 2;
/** Name of our server with `eventStore: false`. */
export const WITHOUT_EVENT_STORE = `${OURS} without event store`;

const eras = ['legacy', 'modern'] as const;
const modes = ['sessions', 'stateless', 'modern'] as const;

/** Returns every measurement; measurements that are compared stand together. */
export function createRuns(options: RunOptions): readonly Run[] {
  return [
    ...starts(options),
    ...imports(options),
    ...idleSessions(options),
    ...stdio(options),
    ...memory(options),
    ...http(options),
    ...eventStore(options),
  ];
}

function starts({ load, nodeArguments, bundled }: RunOptions): Run[] {
  const options = { starts: load.starts, nodeArguments };
  const empty: Run = {
    suite: 'start',
    implementation: EMPTY_PROCESS,
    variant: 'no protocol',
    measure: async () => ({ start: await measureEmptyProcess(load.starts) }),
  };
  const files = inEras((era, { name, server }) => ({
    suite: 'start',
    implementation: name,
    variant: era,
    measure: async () => ({ start: await measureStart(server, era, options) }),
  }));
  const oneFile = inEras((era, { name }) => ({
    suite: 'start',
    implementation: name,
    variant: `${era}, bundled`,
    measure: async () => ({ start: await measureStart(bundled.programOf(name), era, options) }),
  }));
  const shipped = eras.map((era): Run => ({
    suite: 'start',
    implementation: WEATHER_SERVER,
    variant: era,
    measure: async () => ({ start: await measureStart(WEATHER_PROGRAM, era, options) }),
  }));
  return [empty, ...files, ...oneFile, ...shipped];
}

function imports({ load, nodeArguments }: RunOptions): Run[] {
  const variants = [...new Set(implementations.flatMap(({ entries }) => Object.keys(entries)))];
  return variants.flatMap((variant) =>
    implementations.flatMap(({ name, entries, importsFrom }): Run[] => {
      const entry = entries[variant];
      if (entry === undefined) return [];
      const measure = async (): Promise<FiguresByTable> => ({
        import: await measureImport(entry, importsFrom, { starts: load.starts, nodeArguments }),
      });
      return [{ suite: 'import', implementation: name, variant, measure }];
    }),
  );
}

function idleSessions({ load, nodeArguments }: RunOptions): Run[] {
  return implementations.map((implementation) => ({
    suite: 'sessions',
    implementation: implementation.name,
    variant: 'sessions',
    measure: async () => ({
      idleSession: await measureSessions(implementation, load.sessions, nodeArguments),
    }),
  }));
}

function stdio({ load, nodeArguments }: RunOptions): Run[] {
  const options = { load: load.stdioServer, nodeArguments };
  const servers = inEras((era, implementation) => ({
    suite: 'stdio-server',
    implementation: implementation.name,
    variant: era,
    measure: async () =>
      prefixed('stdioServer', await measureStdioServer(implementation, era, options)),
  }));
  const longTexts = inEras((era, implementation) => ({
    suite: 'stdio-10kb',
    implementation: implementation.name,
    variant: era,
    measure: async () =>
      prefixed(
        'stdioServerLong',
        await measureStdioServer(implementation, era, { load: load.longTexts, nodeArguments }),
      ),
  }));
  const clients = inEras((era, implementation) => ({
    suite: 'stdio-client',
    implementation: implementation.name,
    variant: era,
    measure: async () =>
      prefixed(
        'stdioClient',
        await measureClient(
          implementation,
          { transport: 'stdio', era },
          { load: load.stdioClient, nodeArguments },
        ),
      ),
  }));
  return [...servers, ...longTexts, ...clients];
}

function memory({ load, nodeArguments }: RunOptions): Run[] {
  const options = { calls: load.memoryCalls, nodeArguments };
  return inEras((era, implementation) => ({
    suite: 'stdio-memory',
    implementation: implementation.name,
    variant: era,
    measure: async () => ({ peakMemory: await measurePeakMemory(implementation, era, options) }),
  }));
}

/** Ours with sessions and their event store, and then without it; the SDK's servers here have none. */
function eventStore({ load, nodeArguments }: RunOptions): Run[] {
  const options = { load: load.eventStore, nodeArguments, tools: FEW_TOOLS };
  const ours = implementations.filter(({ name }) => name === OURS);
  const kinds = [
    { name: OURS, mode: 'sessions' },
    { name: WITHOUT_EVENT_STORE, mode: 'sessions without event store' },
  ] as const;
  return ours.flatMap((implementation) =>
    kinds.map(({ name, mode }) => ({
      suite: 'event-store' as const,
      implementation: name,
      variant: 'sessions',
      measure: async () =>
        prefixed('eventStore', await measureHttpServer(implementation, mode, options)),
    })),
  );
}

function http({ load, nodeArguments }: RunOptions): Run[] {
  const servers = inModes((mode, implementation) => ({
    suite: 'http-server',
    implementation: implementation.name,
    variant: mode,
    // Measured right after one another, because the difference between few and many tools is small.
    measure: async () => ({
      ...prefixed(
        'httpServer',
        await measureHttpServer(implementation, mode, {
          load: load.http,
          nodeArguments,
          tools: FEW_TOOLS,
        }),
      ),
      ...prefixed(
        'httpServerManyTools',
        await measureHttpServer(implementation, mode, {
          load: load.manyTools,
          nodeArguments,
          tools: MANY_TOOLS,
        }),
      ),
    }),
  }));
  const clients = inEras((era, implementation) => ({
    suite: 'http-client',
    implementation: implementation.name,
    variant: era,
    measure: async () =>
      prefixed(
        'httpClient',
        await measureClient(
          implementation,
          { transport: 'http', era },
          { load: load.http, nodeArguments },
        ),
      ),
  }));
  return [...servers, ...clients];
}

function inEras(make: (era: (typeof eras)[number], implementation: Implementation) => Run): Run[] {
  return eras.flatMap((era) =>
    implementations.filter((each) => each.eras.includes(era)).map((each) => make(era, each)),
  );
}

function inModes(make: (mode: HttpMode, implementation: Implementation) => Run): Run[] {
  return modes.flatMap((mode) =>
    implementations
      .filter(({ httpModes }) => httpModes.includes(mode))
      .map((each) => make(mode, each)),
  );
}

function prefixed(prefix: string, figures: FiguresByTable): FiguresByTable {
  return Object.fromEntries(
    Object.entries(figures).map(([key, value]) => [`${prefix}.${key}`, value]),
  );
}
