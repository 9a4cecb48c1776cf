import { serveStdio } from '@signalbox/mcp-core/stdio';
import { createNotesServer } from './notes-server.ts';

await serveStdio(createNotesServer({ requests: 3, entries: 100 }));
