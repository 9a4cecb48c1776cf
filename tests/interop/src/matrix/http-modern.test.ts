import { dialOurs, dialV2, openHosted } from './dialling.ts';
import { hostOurs, hostV2Requests } from './hosting/hosts.ts';
import { noSessions, noTasks } from './reasons.ts';
import { type Cell, runCells } from './run-cells.ts';

const shared = { era: 'modern', wire: 'http-modern' } as const;
const without = { ...noSessions, ...noTasks };

const cells: readonly Cell[] = [
  {
    ...shared,
    client: 'v2',
    server: 'ours',
    negotiation: 'auto',
    without,
    open: () => openHosted(hostOurs, dialV2('auto')),
  },
  {
    ...shared,
    client: 'v2',
    server: 'ours',
    negotiation: 'pinned',
    without,
    open: () => openHosted(hostOurs, dialV2('modern')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'auto',
    without,
    open: () => openHosted(hostV2Requests, dialOurs('auto')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'pinned',
    without,
    open: () => openHosted(hostV2Requests, dialOurs('modern')),
  },
];

runCells(cells);
