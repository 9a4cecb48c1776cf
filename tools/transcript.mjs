// node tools/transcript.mjs [--check]: runs the demo task that README.md shows and writes its output into the README.
// With --check it writes nothing, and fails where the README shows something else. Run ids and durations may differ.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const readme = join(root, 'README.md');
const TASK = 'Which customers bought most?';
const LINE_CHARACTERS = 140;
const RUN_LIMIT_MS = 150_000;
const BLOCK = /(<!-- transcript[^>]*-->\n```text\n)([^]*?)(```\n<!-- end of transcript -->)/;

const text = readFileSync(readme, 'utf8');
const shown = BLOCK.exec(text)?.[2];
if (shown === undefined) throw new Error('README.md has no transcript block');
const printed = runTask();
if (!process.argv.includes('--check')) {
  writeFileSync(
    readme,
    text.replace(shown, () => printed),
  );
} else if (comparable(shown) !== comparable(printed)) {
  console.error(
    `README.md shows:\n${shown}\nThe task prints:\n${printed}\nRun node tools/transcript.mjs.`,
  );
  process.exit(1);
}

function runTask() {
  const data = mkdtempSync(join(tmpdir(), 'signalbox-transcript-'));
  const { status, output } = spawnSync(
    process.execPath,
    [join(root, 'apps/agent/bin.js'), 'run', '--demo', TASK],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: RUN_LIMIT_MS,
      env: { PATH: process.env.PATH, HOME: data, SIGNALBOX_DATA_DIR: data, SIGNALBOX_PORT: '0' },
    },
  );
  rmSync(data, { recursive: true, force: true });
  const [, stdout, stderr] = output;
  if (status !== 0) throw new Error(`signalbox run ended with ${status}: ${stderr}`);
  return (
    `${stderr}${stdout}`
      .replace(/^No model is configured.*\n/, '')
      // Printed only where a server takes long to start.
      .replace(/^waiting for .* to connect.*\n/gm, '')
      .split('\n')
      .map((line) => (line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line))
      .join('\n')
  );
}

function comparable(transcript) {
  return transcript
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'RUN')
    .replace(/\b\d+ ms\b/g, 'TIME')
    .replace(/"elapsedMs":\d+/g, '"elapsedMs":0')
    .split('\n')
    .map((line) => line.slice(0, LINE_CHARACTERS - 20))
    .join('\n');
}
