import { dialOurs, dialV1, dialV2, openHosted } from './dialling.ts';
import { hostOurs, hostV1Sessions, hostV2Sessions } from './hosting/hosts.ts';
import { noTasks, staysLost } from './reasons.ts';
import { type Cell, runCells } from './run-cells.ts';

const shared = { era: 'legacy', wire: 'http-sessions' } as const;

const cells: readonly Cell[] = [
  {
    ...shared,
    client: 'v1',
    server: 'ours',
    without: staysLost,
    open: () => openHosted(hostOurs, dialV1),
  },
  {
    ...shared,
    client: 'v2',
    server: 'ours',
    without: { ...noTasks, ...staysLost },
    open: () => openHosted(hostOurs, dialV2('legacy')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v1',
    negotiation: 'auto',
    without: {},
    open: () => openHosted(hostV1Sessions, dialOurs('auto')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v1',
    negotiation: 'pinned',
    without: {},
    open: () => openHosted(hostV1Sessions, dialOurs('legacy')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'auto',
    without: noTasks,
    open: () => openHosted(() => hostV2Sessions(), dialOurs('auto')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'pinned',
    without: noTasks,
    open: () => openHosted(() => hostV2Sessions(), dialOurs('legacy')),
  },
];

runCells(cells);
