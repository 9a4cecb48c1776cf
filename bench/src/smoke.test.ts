import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { bundleServers } from './bundle-servers.ts';
import type { FloorPeer } from './floor/peer.ts';
import { FLOOR, implementations, OURS, type Implementation } from './implementations.ts';
import { LONG_TEXT, type CallLoad } from './load.ts';
import { measureClient } from './measure-client.ts';
import { measureImport } from './measure-import.ts';
import { measureHttpServer, measurePeakMemory, measureStdioServer } from './measure-server.ts';
import { measureSessions } from './measure-sessions.ts';
import { measureEmptyProcess, measureStart } from './measure-start.ts';

const load: CallLoad = {
  warmUpCalls: 2,
  calls: { sequential: 2, sixteen: 20, concurrent: 70 },
  lists: 2,
  floods: 1,
};
/** The processes run the build, which `nx test` makes: they start faster than from the sources. */
const nodeArguments: readonly string[] = [];
const options = { load, nodeArguments };
/** All notifications of a full flood must arrive at ours; a short one shows that the others are measured. */
const optionsFor = ({ name }: Implementation) =>
  name === OURS ? options : { ...options, load: { ...load, notifications: 200 } };
const oneStart = { starts: 1, nodeArguments };
const positive = expect.toSatisfy(
  (value) => typeof value === 'number' && value > 0,
  'a positive number',
) as number;
const perOperation = { cpuMicros: positive, perSecond: positive };
const everything = {
  sequential: perOperation,
  sixteen: perOperation,
  concurrent: perOperation,
  list: perOperation,
  flood: perOperation,
};

const byEra = implementations.flatMap((implementation) =>
  implementation.eras.map((era) => ({
    name: `${implementation.name}, ${era}`,
    implementation,
    era,
  })),
);
/** Calls a tool with an argument of the wrong type. */
async function expectRefusal(peer: FloorPeer): Promise<void> {
  const refusal = peer.request('tools/call', { name: 'echo', arguments: { text: 7 } });
  expect(
    await refusal.then(
      ({ isError }) => isError,
      () => true,
    ),
  ).toBe(true);
}

/** A single HTTP mode of each peer is enough: the shared code is tested with ours and the floor. */
const inFull = implementations.filter(({ name }) => name === OURS || name === FLOOR);
const byMode = implementations.flatMap((implementation) =>
  implementation.httpModes
    .filter((_mode, index) => index === 0 || inFull.includes(implementation))
    .map((mode) => ({ name: `${implementation.name}, ${mode}`, implementation, mode })),
);

describe.each(byEra)('$name', ({ implementation, era }) => {
  const expected =
    implementation.name === OURS
      ? { ...everything, flood: { ...perOperation, lostPerCall: 0 } }
      : everything;

  test('the stdio server answers calls, lists and reports progress, all of it if it is ours, and refuses an argument of the wrong type', async () => {
    const afterwards = vi.fn<(peer: FloorPeer) => Promise<void>>(expectRefusal);
    expect(
      await measureStdioServer(implementation, era, { ...optionsFor(implementation), afterwards }),
    ).toMatchObject(expected);
    expect(afterwards).toHaveBeenCalledOnce();
  });

  test.each(['stdio', 'http'] as const)(
    'the client calls, lists and receives progress over %s, all of it if it is ours',
    async (transport) => {
      expect(
        await measureClient(implementation, { transport, era }, optionsFor(implementation)),
      ).toMatchObject(expected);
    },
  );
});

describe.each(byMode)('over HTTP, $name', ({ implementation, mode }) => {
  test('the server answers calls, lists and reports progress, with as many tools as it is told, and refuses an argument of the wrong type', async () => {
    const afterwards = vi.fn<(peer: FloorPeer) => Promise<void>>(expectRefusal);
    expect(
      await measureHttpServer(implementation, mode, {
        ...optionsFor(implementation),
        tools: 40,
        afterwards,
      }),
    ).toMatchObject(everything);
    expect(afterwards).toHaveBeenCalledOnce();
  });
});

test.each(inFull)(
  'the stdio server of $name answers long texts, 128 at once, and its memory is measured',
  async (implementation) => {
    const longTexts: CallLoad = {
      warmUpCalls: 0,
      calls: { crowded: 150 },
      lists: 0,
      floods: 0,
      textLength: LONG_TEXT,
    };
    expect(
      await measureStdioServer(implementation, 'modern', { load: longTexts, nodeArguments }),
    ).toEqual({ crowded: perOperation });
    expect(
      await measurePeakMemory(implementation, 'modern', { calls: 20, nodeArguments }),
    ).toMatchObject({ peakMb: expect.any(Number) as number });
  },
);

test('our server with sessions answers without its event store', async () => {
  const [ours] = implementations.filter(({ name }) => name === OURS);
  if (ours === undefined) throw new Error('no such implementation');
  expect(
    await measureHttpServer(ours, 'sessions without event store', { ...options, tools: 2 }),
  ).toMatchObject({ ...everything, flood: { ...perOperation, lostPerCall: 0 } });
});

describe.each(inFull.map((implementation) => ({ name: implementation.name, implementation })))(
  '$name',
  ({ implementation }) => {
    test('sessions are opened and weighed', async () => {
      // So few weigh less than what a collection happens to free.
      expect(await measureSessions(implementation, 100, nodeArguments)).toMatchObject({
        heapKib: expect.any(Number) as number,
        openMicros: positive,
      });
    });
  },
);

test.each(implementations.filter(({ entries }) => Object.keys(entries).length > 0))(
  'the entries of $name are imported',
  async ({ entries, importsFrom }) => {
    expect(
      await measureImport(Object.values(entries).join(' '), importsFrom, oneStart),
    ).toMatchObject({
      importMs: positive,
    });
  },
);

test('the start of each server as one file is measured', async () => {
  await using bundled = await bundleServers([]);
  for (const { name } of implementations) {
    expect(
      await measureStart(bundled.programOf(name), 'legacy', { starts: 1, nodeArguments: [] }),
    ).toMatchObject({ readyMs: positive });
  }
});

test('an empty process is measured', async () => {
  expect(await measureEmptyProcess(1)).toMatchObject({ readyMs: positive });
});

test('a server that answers something else is noticed', async () => {
  await withServer(
    `process.stdin.on('data', (chunk) => {
      for (const line of String(chunk).trim().split('\\n')) {
        const { id } = JSON.parse(line);
        if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'bad day' }] } }) + '\\n');
      }
    });`,
    async (implementation) => {
      await expect(measureStdioServer(implementation, 'legacy', options)).rejects.toThrow(
        'echo answered something else',
      );
    },
  );
});

test('a server that ends is noticed', async () => {
  await withServer("process.stdin.once('data', () => process.exit());", async (implementation) => {
    await expect(measureStdioServer(implementation, 'legacy', options)).rejects.toThrow(
      'closed its output',
    );
    await expect(measureStart(implementation.server, 'modern', oneStart)).rejects.toThrow(
      'closed its output',
    );
  });
});

test('an HTTP server that ends is noticed', async () => {
  await withServer('process.exit()', async (implementation) => {
    await expect(
      measureHttpServer(implementation, 'modern', { ...options, tools: 2 }),
    ).rejects.toThrow('ended before it listened');
  });
});

test('a client that ends is noticed', async () => {
  await withServer('process.exit()', async (implementation) => {
    await expect(
      measureClient(implementation, { transport: 'stdio', era: 'legacy' }, options),
    ).rejects.toThrow('ended without figures');
  });
});

test('an entry that cannot be imported is noticed', async () => {
  const missing = new URL('no-such-file.mjs', import.meta.url).href;
  await expect(measureImport(missing, import.meta.dirname, oneStart)).rejects.toThrow(
    'could not be imported',
  );
});

/** Stands in for a server and for the module of a client. */
async function withServer(
  program: string,
  run: (implementation: Implementation) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const file = join(folder, 'program.mjs');
  try {
    await writeFile(file, program);
    await run({
      name: 'broken',
      eras: ['legacy'],
      server: file,
      httpModes: [],
      httpServer: file,
      client: file,
      entries: {},
      importsFrom: folder,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}
