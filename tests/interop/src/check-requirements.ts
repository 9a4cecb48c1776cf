import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { coverageOf, type Count } from './requirements/coverage.ts';
import { requirements } from './requirements/index.ts';
import type { Proof } from './requirements/proves.ts';
import { unproved } from './requirements/unproved.ts';

// Adds up which rules of the specification the tests of all packages prove. --should also lists
// unproved rules of level SHOULD.
const workspace = join(import.meta.dirname, '..', '..', '..');
const files = globSync('{libs,servers,apps,tests}/*/.results/proofs.json', { cwd: workspace });
// The reporter of the workspace writes the proofs of `proves`.
const proofs = files.flatMap(
  (file) => JSON.parse(readFileSync(join(workspace, file), 'utf8')) as readonly Proof[],
);
const { rows, problems, unprovedShould } = coverageOf(requirements, proofs, unproved);

const show = ({ proved, total }: Count): string => `${proved} of ${total}`.padEnd(12);
const known = unproved.reduce((count, gap) => count + gap.requirements.length, 0);
const reviewed = Object.values(requirements).filter(({ review }) => review !== undefined).length;
const lines = [
  `\nRules of the specification proved\n${''.padEnd(20)}${'MUST'.padEnd(12)}SHOULD`,
  ...rows.map(({ era, wire, must, should }) =>
    `${`${era} ${wire}`.padEnd(20)}${show(must)}${show(should)}`.trimEnd(),
  ),
  `${reviewed} rules are checked by reading; ${known} are listed as not proved yet`,
  ...(process.argv.includes('--should')
    ? unprovedShould.map((name) => `SHOULD without a proof: ${name}`)
    : []),
  ...problems,
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
