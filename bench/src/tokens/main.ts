import { parseArgs } from 'node:util';
import { median } from '../figures.ts';
import { formatNumber, layOut } from '../format.ts';
import { describeLoad, describeMachine } from '../machine.ts';
import { shareOneCore } from '../share-core.ts';
import { formatTargets } from '../targets.ts';
import { EXTRA, measureClientTokens } from './measure-client-tokens.ts';
import { KNOWN_JWT, measureTokens } from './measure-tokens.ts';
import { startTokenIssuer } from './token-issuer.ts';

/** Most that the check of a known JWT may cost, in microseconds of processor time. */
const LIMIT_MICROS = 20;
/** Most that a valid token may add to a call of a client, in microseconds of processor time. */
const CLIENT_LIMIT_MICROS = 5;

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const rounds = values.quick ? 1 : 5;
const checks = values.quick ? 2000 : 20_000;
const core = shareOneCore();
process.stdout.write(
  `# Access tokens, ${new Date().toISOString().slice(0, 10)}\n\n${describeMachine()}.${core === undefined ? '' : ` The process runs on core ${String(core)}.`}\n`,
);
using issuer = await startTokenIssuer();
const all: ReadonlyMap<string, number>[] = [];
for (let round = 0; round < rounds; round += 1)
  all.push(
    new Map([
      ...(await measureTokens(issuer, checks)),
      ...(await measureClientTokens(issuer, checks)),
    ]),
  );
const rows = [...(all[0] ?? new Map<string, number>()).keys()].map((name) => {
  const figures = all.map((each) => each.get(name) ?? Number.NaN);
  const middle = median(figures);
  const spread = ((Math.max(...figures) - Math.min(...figures)) / middle) * 100;
  return { name, middle, spread };
});
process.stdout.write(
  `\n${layOut([
    ['', 'CPU µs', 'spread'],
    ...rows.map(({ name, middle, spread }) => [
      name,
      formatNumber(middle, 1),
      `${formatNumber(spread, 0)} %`,
    ]),
  ])}\n`,
);
const known = rows.find(({ name }) => name === KNOWN_JWT)?.middle ?? Number.NaN;
const extra = rows.find(({ name }) => name === EXTRA)?.middle ?? Number.NaN;
process.stdout.write(
  `\n${formatTargets([
    {
      target: `check of ${KNOWN_JWT}: CPU µs`,
      wanted: `≤ ${String(LIMIT_MICROS)}`,
      measured: formatNumber(known, 1),
      isMet: known <= LIMIT_MICROS,
    },
    {
      target: 'client: a valid token more than a fixed header: CPU µs',
      wanted: `≤ ${String(CLIENT_LIMIT_MICROS)}`,
      measured: formatNumber(extra, 1),
      isMet: extra <= CLIENT_LIMIT_MICROS,
    },
  ])}`,
);
process.stdout.write(
  `\n${String(rounds)} rounds of ${formatNumber(checks, 0)} checks, a twentieth of them for new tokens and proofs; load average at the end ${describeLoad()}\n`,
);
