import type { JsonObject } from '@signalbox/mcp-core';
import type { Figures } from '../figures.ts';
import { peakResidentMbOf, residentMbOf } from '../process-readings.ts';
import { startStdioServer, type StdioServer } from '../server-process.ts';
import type { FileServer } from './file-servers.ts';
import type { SampleFiles } from './sample-files.ts';

/** A task that a file server is measured with. */
export interface FileTask {
  /** Key of its table. */
  readonly key: string;
  readonly measure: (server: FileServer, files: SampleFiles) => Promise<Figures>;
}

const READS = 200;
const WARM_UP_READS = 200;

export const fileTasks: readonly FileTask[] = [
  { key: 'start', measure: measureStart },
  { key: 'read', measure: measureRead },
  {
    key: 'search',
    measure: measureSearch,
  },
  {
    key: 'tree',
    measure: (server, { root, tree }) =>
      measureOnce(server, root, { name: 'directory_tree', arguments: { path: tree } }),
  },
  { key: 'huge', measure: measureHuge },
];

async function measureStart({ program }: FileServer, { root }: SampleFiles): Promise<Figures> {
  const begun = performance.now();
  const server = start(program, root, { reportsUsage: false });
  try {
    await server.connection.open();
    await server.connection.request('tools/list', {});
    return { readyMs: performance.now() - begun, residentMb: residentMbOf(server.pid) };
  } finally {
    await server.stop();
  }
}

/** Both servers answer with the whole file. */
async function measureRead(
  { program, wholeFiles }: FileServer,
  { root, text, textLength }: SampleFiles,
): Promise<Figures> {
  const server = start(program, root, { options: wholeFiles });
  const read = (): Promise<JsonObject> =>
    call(server, { name: 'read_text_file', arguments: { path: text } });
  try {
    await server.connection.open();
    const { structuredContent } = (await read()) as {
      readonly structuredContent: { readonly content: string };
    };
    if (structuredContent.content.length !== textLength)
      throw new Error(
        `The server answered ${String(structuredContent.content.length)} of ${String(textLength)} characters`,
      );
    for (let done = 0; done < WARM_UP_READS; done += 1) await read();
    const cpuBefore = await server.cpuMicros();
    const begun = performance.now();
    for (let done = 0; done < READS; done += 1) await read();
    const elapsedMs = performance.now() - begun;
    return {
      cpuMs: ((await server.cpuMicros()) - cpuBefore) / READS / 1000,
      answerMs: elapsedMs / READS,
    };
  } finally {
    await server.stop();
  }
}

/** Both servers find the file in every directory. */
async function measureSearch(
  server: FileServer,
  { root, tree, directories }: SampleFiles,
): Promise<Figures> {
  return measureOnce(
    server,
    root,
    { name: 'search_files', arguments: { path: tree, pattern: '**/f1.txt' } },
    (answer) => {
      const [{ text }] = answer['content'] as readonly [{ readonly text: string }];
      const found = new Set([...text.matchAll(/\bd\d+\/f1\.txt$/gmu)].map(([path]) => path));
      if (found.size !== directories)
        throw new Error(`The server found ${String(found.size)} of ${String(directories)} files`);
    },
  );
}

async function measureOnce(
  { program }: FileServer,
  root: string,
  params: JsonObject,
  check: (answer: JsonObject) => void = () => undefined,
): Promise<Figures> {
  const server = start(program, root);
  try {
    await server.connection.open();
    await server.connection.request('tools/list', {});
    const cpuBefore = await server.cpuMicros();
    const begun = performance.now();
    const answer = await call(server, params);
    const answerMs = performance.now() - begun;
    const cpuMs = ((await server.cpuMicros()) - cpuBefore) / 1000;
    check(answer);
    return {
      cpuMs,
      answerMs,
      answerKib: JSON.stringify(answer).length / 1024,
      peakMb: peakResidentMbOf(server.pid),
    };
  } finally {
    await server.stop();
  }
}

/** A server may answer with a part of the file or refuse it, but must not end. */
async function measureHuge({ program }: FileServer, { root, huge }: SampleFiles): Promise<Figures> {
  const server = start(program, root);
  try {
    await server.connection.open();
    await server.connection.request('tools/list', {});
    const begun = performance.now();
    await server.connection
      .request('tools/call', { name: 'read_text_file', arguments: { path: huge } })
      .catch(() => undefined);
    return { answerMs: performance.now() - begun, peakMb: peakResidentMbOf(server.pid) };
  } finally {
    await server.stop();
  }
}

function start(
  program: string,
  root: string,
  {
    options = [],
    reportsUsage = true,
  }: { readonly options?: readonly string[]; readonly reportsUsage?: boolean } = {},
): StdioServer {
  return startStdioServer(program, {
    era: 'legacy',
    nodeArguments: [],
    programArguments: [...options, root],
    reportsUsage,
  });
}

/** @throws Error when the server answers that it failed */
async function call(server: StdioServer, params: JsonObject): Promise<JsonObject> {
  const answer = await server.connection.request('tools/call', params);
  if (answer.isError === true)
    throw new Error(`The server answered ${JSON.stringify(answer.content).slice(0, 300)}`);
  return answer;
}
