import { runServer } from '@signalbox/server-kit';
import { command } from './command.ts';

await runServer(command);
