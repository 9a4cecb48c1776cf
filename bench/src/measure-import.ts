import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { median, type Figures } from './figures.ts';
import type { StartOptions } from './measure-start.ts';

const PROGRAM = `
  const cpuBefore = process.cpuUsage();
  const begun = performance.now();
  for (const entry of process.env.BENCH_ENTRY.split(' ')) await import(entry);
  const importMs = performance.now() - begun;
  const { user, system } = process.cpuUsage(cpuBefore);
  process.stdout.write(JSON.stringify({ importMs, importCpuMs: (user + system) / 1000 }));
`;

/**
 * Imports an entry of a package, or several separated by a space, in fresh processes that do nothing else.
 * @throws Error when it cannot be imported from that folder
 */
export async function measureImport(
  entry: string,
  folder: string,
  { starts, nodeArguments }: StartOptions,
): Promise<Figures> {
  const all: Figures[] = [];
  for (let started = 0; started < starts; started += 1)
    all.push(await importOnce(entry, folder, nodeArguments));
  const medianOf = (figure: string): number =>
    median(all.map((figures) => figures[figure] ?? Number.NaN));
  return { importCpuMs: medianOf('importCpuMs'), importMs: medianOf('importMs') };
}

async function importOnce(
  entry: string,
  folder: string,
  nodeArguments: readonly string[],
): Promise<Figures> {
  const child = spawn(process.execPath, [...nodeArguments, '--input-type=module', '-e', PROGRAM], {
    cwd: folder,
    env: { ...process.env, BENCH_ENTRY: entry },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const written = await text(child.stdout);
  const [code] = await exited;
  if (code !== 0) throw new Error(`${entry} could not be imported`);
  // The program above wrote it.
  return JSON.parse(written) as Figures;
}
