import { losesProgress, noSessions, noTasks } from './reasons.ts';
import { type Cell, runCells } from './run-cells.ts';
import { openOursOverStdio, openV1OverStdio, openV2OverStdio } from './spawning.ts';

const wire = 'stdio';

const cells: readonly Cell[] = [
  {
    client: 'v1',
    server: 'ours',
    era: 'legacy',
    wire,
    without: { ...noSessions, ...losesProgress },
    open: openV1OverStdio,
  },
  {
    client: 'v2',
    server: 'ours',
    era: 'legacy',
    wire,
    without: { ...noSessions, ...noTasks, ...losesProgress },
    open: () => openV2OverStdio('legacy'),
  },
  {
    client: 'v2',
    server: 'ours',
    era: 'modern',
    wire,
    negotiation: 'auto',
    without: { ...noSessions, ...noTasks, ...losesProgress },
    open: () => openV2OverStdio('auto'),
  },
  {
    client: 'v2',
    server: 'ours',
    era: 'modern',
    wire,
    negotiation: 'pinned',
    without: { ...noSessions, ...noTasks, ...losesProgress },
    open: () => openV2OverStdio('modern'),
  },
  {
    client: 'ours',
    server: 'v1',
    era: 'legacy',
    wire,
    negotiation: 'auto',
    without: noSessions,
    open: () => openOursOverStdio('v1', 'auto'),
  },
  {
    client: 'ours',
    server: 'v1',
    era: 'legacy',
    wire,
    negotiation: 'pinned',
    without: noSessions,
    open: () => openOursOverStdio('v1', 'legacy'),
  },
  {
    client: 'ours',
    server: 'v2',
    era: 'legacy',
    wire,
    negotiation: 'pinned',
    without: { ...noSessions, ...noTasks },
    open: () => openOursOverStdio('v2', 'legacy'),
  },
  {
    client: 'ours',
    server: 'v2',
    era: 'modern',
    wire,
    negotiation: 'auto',
    without: { ...noSessions, ...noTasks },
    open: () => openOursOverStdio('v2', 'auto'),
  },
  {
    client: 'ours',
    server: 'v2',
    era: 'modern',
    wire,
    negotiation: 'pinned',
    without: { ...noSessions, ...noTasks },
    open: () => openOursOverStdio('v2', 'modern'),
  },
];

runCells(cells);
