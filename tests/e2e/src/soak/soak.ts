import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';
import { compileCache } from '../support/compile-cache.ts';
import { ApiClient } from '../support/client.ts';
import { writeScenario } from '../support/scenario.ts';
import { agentMain, serverBin, temporaryFolder } from '../support/service.ts';

/** Memory of the service after a collection. */
export interface Sample {
  /** Runs that had ended. */
  readonly runs: number;
  readonly usedMb: number;
  readonly residentMb: number;
}

export interface SoakOptions {
  /** Number of runs. */
  readonly runs: number;
  /** Runs between two samples. */
  readonly every: number;
  /** Runs at the same time. */
  readonly parallel?: number;
  /** The control: bytes that the service leaks after the last run, before one more sample. Default: no leak and no such sample. */
  readonly leakBytes?: number;
  readonly onSample?: (sample: Sample) => void;
}

const PROMPT = 'look at everything';

/** Starts one service and runs all runs in it; each run calls the three demo servers. @throws Error when a run does not complete */
export async function soak({
  runs,
  every,
  parallel = 4,
  leakBytes,
  onSample,
}: SoakOptions): Promise<readonly Sample[]> {
  const folder = await temporaryFolder();
  const service = await startService(folder.path);
  const samples: Sample[] = [];
  const takeSample = async (done: number, leaked = 0): Promise<void> => {
    service.process.send({ leakBytes: leaked });
    const [memory] = (await once(service.process, 'message')) as [Omit<Sample, 'runs'>];
    const sample = { runs: done, ...memory };
    samples.push(sample);
    onSample?.(sample);
  };
  try {
    for (let done = 0; done < runs; done += every) {
      await runMany(service.api, every, parallel);
      await takeSample(done + every);
    }
    if (leakBytes !== undefined) await takeSample(runs, leakBytes);
  } finally {
    if (service.process.exitCode === null) {
      service.process.kill('SIGTERM');
      await once(service.process, 'exit');
    }
    await folder.remove();
  }
  return samples;
}

async function runMany(api: ApiClient, count: number, parallel: number): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const run = await api.settled((await api.start(PROMPT)).id);
      if (run.status !== 'completed' || run.answer !== 'done')
        throw new Error(
          `run ${run.id} ended as ${run.status}: ${JSON.stringify(run.error ?? run.answer)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function startService(
  folder: string,
): Promise<{ readonly process: ChildProcess; readonly api: ApiClient }> {
  const files = join(folder, 'files');
  await mkdir(files);
  await writeFile(join(files, 'note.txt'), 'a note\n'.repeat(100));
  const database = join(folder, 'shop.db');
  new Database(database)
    .exec(
      "CREATE TABLE item (name TEXT, price INTEGER); INSERT INTO item VALUES ('lamp', 10), ('chair', 25)",
    )
    .close();
  const scenario = await writeScenario(folder, [
    {
      prompt: PROMPT,
      steps: [
        [
          { tool: 'filesystem__read_text_file', input: { path: 'note.txt' } },
          { tool: 'sqlite__read_query', input: { query: 'SELECT * FROM item' } },
          {
            tool: 'weather__weather_compare',
            input: { locations: ['Berlin', 'Oslo', 'Rome'], metric: 'wind' },
          },
        ],
      ],
      answer: 'done',
    },
  ]);
  const signalbox = { trust: true };
  const file = join(folder, 'signalbox.json');
  const config = {
    port: 0,
    data_dir: join(folder, 'data'),
    log_level: 'warn',
    llm: { provider: 'scripted', scenario },
    mcpServers: {
      filesystem: { command: 'node', args: [serverBin.filesystem, files], signalbox },
      sqlite: { command: 'node', args: [serverBin.sqlite, database], signalbox },
      weather: {
        command: 'node',
        args: [serverBin.weather, '--demo', '--demo-delay-ms', '0'],
        signalbox,
      },
    },
  };
  await writeFile(file, JSON.stringify(config));
  const service = fork(agentMain, ['serve', '--config', file], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      ...compileCache,
    },
    execArgv: [
      '--expose-gc',
      '--import',
      pathToFileURL(join(import.meta.dirname, 'heap-probe.ts')).href,
    ],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = '';
    service.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /ready on (http:\S+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
  return { process: service, api: new ApiClient(url) };
}

/** Returns the growth of the used memory per run between two samples, in KB. */
export function growthPerRunKb(from: Sample, to: Sample): number {
  return ((to.usedMb - from.usedMb) * 1024) / (to.runs - from.runs);
}
