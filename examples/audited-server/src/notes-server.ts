import {
  createServer,
  defineMethod,
  definePrompt,
  defineResource,
  defineTool,
  type Server,
} from '@signalbox/mcp-core/server';
import { auditLog, callerOf, type AuditEntry } from './audit-log.ts';
import { quota } from './quota.ts';

/** Extension that announces the method `acme/audit`. */
export const AUDIT_EXTENSION = 'com.acme/audit';

export interface NotesServerOptions {
  /** Number of tool calls, prompts and resources that each caller may use. */
  readonly requests: number;
  /** Number of audit entries that are kept. */
  readonly entries: number;
}

/** Creates a server of notes that audits all requests, limits its callers and lets them read the audit. */
export function createNotesServer({ requests, entries }: NotesServerOptions): Server {
  const notes: string[] = [];
  const log: AuditEntry[] = [];

  const addNote = defineTool({
    name: 'add_note',
    description: 'Adds a note after the user agreed.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string' } },
      required: ['text'],
      additionalProperties: false,
    },
    handler: async ({ text }, context) => {
      const { action } = await context.elicit('sure', {
        message: `Add the note "${text}"?`,
        requestedSchema: { type: 'object', properties: {} },
      });
      if (action === 'accept') notes.push(text);
      return `There are ${String(notes.length)} notes.`;
    },
  });

  const summarize = definePrompt({
    name: 'summarize',
    description: 'Asks for a summary of the notes.',
    handler: () => `Summarize these notes: ${notes.join(' ')}`,
  });

  const allNotes = defineResource({
    uri: 'notes://all',
    name: 'All notes',
    mimeType: 'text/plain',
    read: () => notes.join(' '),
  });

  const readAudit = defineMethod({
    params: {
      type: 'object',
      properties: { last: { type: 'integer', minimum: 1 } },
      additionalProperties: false,
    },
    handler: ({ last = entries }, context) => {
      const caller = callerOf(context);
      return { entries: log.filter((entry) => entry.caller === caller).slice(-last) };
    },
  });

  return createServer({
    info: { name: 'notes', version: '1.0.0' },
    tools: [addNote],
    prompts: [summarize],
    resources: [allNotes],
    extensions: {
      capabilities: { extensions: { [AUDIT_EXTENSION]: { entries } } },
      methods: { 'acme/audit': readAudit },
      middleware: [
        auditLog((entry) => {
          log.push(entry);
          if (log.length > entries) log.shift();
        }),
        quota({ requests }),
      ],
    },
  });
}
