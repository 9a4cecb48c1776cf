import { ProtocolError, type ContentBlock, type Era, type Transport } from '@signalbox/mcp-core';
import { connectClient } from '@signalbox/mcp-core/client';
import { AUDIT_EXTENSION } from './notes-server.ts';

const auditResult = {
  type: 'object',
  properties: {
    entries: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          method: { type: 'string' },
          outcome: { enum: ['ok', 'failed', 'needs-input'] },
        },
        required: ['method', 'outcome'],
      },
    },
  },
  required: ['entries'],
} as const;

/** Uses a notes server beyond a quota of three requests. Returns a line for each step, the audit last. */
export async function useNotes(open: () => Transport, era: Era): Promise<readonly string[]> {
  const client = await connectClient(open, {
    info: { name: 'notes-user', version: '1.0.0' },
    era,
    handlers: { elicit: () => Promise.resolve({ action: 'accept', content: {} }) },
  });
  try {
    const added = await client.callTool('add_note', { text: 'Buy milk.' });
    const prompt = await client.getPrompt('summarize');
    const [all] = await client.readResource('notes://all');
    const refusedTool = await client.callTool('add_note', { text: 'Buy bread.' });
    const refusal = await client
      .readResource('notes://all', { cache: 'none' })
      .then(() => 'not refused', messageOf);
    const lines = [
      added.content.map(textOf).join(),
      prompt.messages.map(({ content }) => textOf(content)).join(),
      all !== undefined && 'text' in all ? all.text : '',
      refusedTool.content.map(textOf).join(),
      refusal,
    ];
    if (client.server.capabilities.extensions?.[AUDIT_EXTENSION] === undefined) return lines;
    const { entries } = await client.request('acme/audit', { last: 6 }, { result: auditResult });
    return [...lines, entries.map((entry) => `${entry.method} ${entry.outcome}`).join(', ')];
  } finally {
    await client.close();
  }
}

function textOf(block: ContentBlock): string {
  return block.type === 'text' ? block.text : block.type;
}

function messageOf(error: unknown): string {
  if (error instanceof ProtocolError) return `${String(error.code)}: ${error.message}`;
  throw error;
}
