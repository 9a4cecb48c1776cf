import { dialOurs, dialV1, dialV2, openHosted } from './dialling.ts';
import { hostOurs, hostV1Stateless, hostV2Requests } from './hosting/hosts.ts';
import {
  forgetsDisconnects,
  forgetsTasks,
  noCancellation,
  noConnection,
  noTasks,
} from './reasons.ts';
import { type Cell, runCells } from './run-cells.ts';

const shared = { era: 'legacy', wire: 'http-stateless' } as const;
const hostOursStateless = () => hostOurs({ sessions: false });

const cells: readonly Cell[] = [
  {
    ...shared,
    client: 'v1',
    server: 'ours',
    without: { ...noConnection, ...noCancellation },
    open: () => openHosted(hostOursStateless, dialV1),
  },
  {
    ...shared,
    client: 'v2',
    server: 'ours',
    without: { ...noConnection, ...noCancellation, ...noTasks },
    open: () => openHosted(hostOursStateless, dialV2('legacy')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v1',
    negotiation: 'auto',
    without: { ...noConnection, ...forgetsTasks },
    open: () => openHosted(hostV1Stateless, dialOurs('auto')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v1',
    negotiation: 'pinned',
    without: { ...noConnection, ...forgetsTasks },
    open: () => openHosted(hostV1Stateless, dialOurs('legacy')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'pinned',
    without: { ...noConnection, ...forgetsDisconnects, ...noTasks },
    open: () => openHosted(hostV2Requests, dialOurs('legacy')),
  },
];

runCells(cells);
