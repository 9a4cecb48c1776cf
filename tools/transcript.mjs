// node tools/transcript.mjs: runs the commands whose output README.md shows and writes their output into the README.
//   --check NAME          writes nothing, and fails where the README shows something else than the command prints
//   --check NAME FILE     compares with the output in a file instead
// Run ids, durations, temporary folders, progress and made-up weather, which depends on the day, may differ.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const readme = join(root, 'README.md');
const TASK = 'Which customers bought most?';
const LINE_CHARACTERS = 140;
/** Longest part of a line that is compared: values of another length move the place where a line is cut. */
const COMPARED_CHARACTERS = 100;
const RUN_LIMIT_MS = 150_000;

/** Commands by the names of their blocks. `start`: where the shown part begins. */
const COMMANDS = {
  run: { args: ['run', '--demo', TASK], start: /^run /m },
  demo: { args: ['demo'], start: /^❯ Plan the sales tour/m },
};

const args = process.argv.slice(2);
if (args[0] === '--check') check(args[1], args[2]);
else for (const name of Object.keys(COMMANDS)) update(name);

function update(name) {
  const text = readFileSync(readme, 'utf8');
  const printed = shownPart(name, run(name));
  writeFileSync(
    readme,
    text.replace(block(name), (_all, before, _shown, after) => `${before}${printed}${after}`),
  );
}

function check(name, file) {
  const shown = block(name).exec(readFileSync(readme, 'utf8'))?.[2];
  if (shown === undefined) throw new Error(`README.md has no transcript of ${name}`);
  const printed = shownPart(name, file === undefined ? run(name) : readFileSync(file, 'utf8'));
  if (comparable(shown) === comparable(printed)) return;
  console.error(
    `README.md shows:\n${shown}\nThe command prints:\n${printed}\nRun node tools/transcript.mjs.`,
  );
  process.exitCode = 1;
}

function block(name) {
  return new RegExp(
    `(<!-- transcript of ${name}:[^>]*-->\\n\`\`\`text\\n)([^]*?)(\`\`\`\\n<!-- end of transcript -->)`,
  );
}

/** Returns stdout and stderr of a command in the order of writing. */
function run(name) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-transcript-'));
  const file = join(folder, 'output');
  const output = openSync(file, 'a');
  try {
    const { status } = spawnSync(
      process.execPath,
      [join(root, 'apps/agent/bin.js'), ...COMMANDS[name].args],
      {
        cwd: root,
        stdio: ['ignore', output, output],
        timeout: RUN_LIMIT_MS,
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          SIGNALBOX_DATA_DIR: folder,
          SIGNALBOX_PORT: '0',
        },
      },
    );
    const text = readFileSync(file, 'utf8');
    if (status !== 0) throw new Error(`signalbox ${name} ended with ${status}: ${text}`);
    return text;
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  }
}

function shownPart(name, output) {
  const start = output.search(COMMANDS[name].start);
  if (start < 0) throw new Error(`signalbox ${name} printed ${output}`);
  return (
    output
      .slice(start)
      // Printed only where a server takes long to start.
      .replace(/^waiting for .* to connect.*\n/gm, '')
      .replace(/file:\/\/\/[^\s"]*?signalbox-tour-\w+/g, 'file:///tmp/tour')
      .replace(/(?<![\w:/])\/[^\s":]*?signalbox-tour-\w+/g, '/tmp/tour')
      .split('\n')
      .map((line) => (line.length > LINE_CHARACTERS ? `${line.slice(0, LINE_CHARACTERS)}…` : line))
      .join('\n')
  );
}

function comparable(transcript) {
  return transcript
    .replace(/^ {2}(?:\[[█░]*\]|… filesystem__search_content).*\n/gm, '')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'RUN')
    .replace(/\b\d+ ms\b|\bms=\d+/g, 'TIME')
    .replace(/"elapsedMs":\d+/g, '"elapsedMs":0')
    .replace(/(?:-?\d+(?:\.\d+)?, )*-?\d+(?:\.\d+)? °C/g, 'TEMPERATURES')
    .replace(/\b(?:Oslo|Lisbon|Cairo|Nairobi|Reykjavik)\b/g, 'CITY')
    .replace(/\(\d+ bytes\)/g, '(BYTES)')
    .replace(/^… \S+ continues as a task.*\n/gm, '')
    .replace(/\b(?:delivered|confirmed)\b/g, 'LEVEL')
    .split('\n')
    .map((line) => line.slice(0, COMPARED_CHARACTERS))
    .join('\n');
}
