import { dialOursSse, dialV1Sse, dialV2Sse, openHosted } from './dialling.ts';
import { hostOurs, hostV1Sse, hostV2Sse } from './hosting/hosts.ts';
import { losesProgress, noSessions, noTasks } from './reasons.ts';
import { type Cell, runCells } from './run-cells.ts';

const shared = { era: 'legacy', wire: 'http-sse' } as const;
const hostOursSse = () => hostOurs({ legacySse: true });

const cells: readonly Cell[] = [
  {
    ...shared,
    client: 'v1',
    server: 'ours',
    without: { ...noSessions, ...losesProgress },
    open: () => openHosted(hostOursSse, dialV1Sse),
  },
  {
    ...shared,
    client: 'v2',
    server: 'ours',
    without: { ...noSessions, ...noTasks, ...losesProgress },
    open: () => openHosted(hostOursSse, dialV2Sse),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v1',
    negotiation: 'auto',
    without: noSessions,
    open: () => openHosted(hostV1Sse, dialOursSse('auto')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v1',
    negotiation: 'pinned',
    without: noSessions,
    open: () => openHosted(hostV1Sse, dialOursSse('legacy')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'auto',
    without: { ...noSessions, ...noTasks },
    open: () => openHosted(hostV2Sse, dialOursSse('auto')),
  },
  {
    ...shared,
    client: 'ours',
    server: 'v2',
    negotiation: 'pinned',
    without: { ...noSessions, ...noTasks },
    open: () => openHosted(hostV2Sse, dialOursSse('legacy')),
  },
];

runCells(cells);
