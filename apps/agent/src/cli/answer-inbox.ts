import type { JsonObject } from '@signalbox/mcp-core';
import type { RunEngine } from '../ports/run-engine.ts';
import type { Io } from './io.ts';

/** An inbox item as `inbox.opened` tells it. */
export interface Asked {
  readonly id: string;
  readonly kind: string;
  readonly request: JsonObject;
}

/**
 * Asks the person at the terminal and answers the item. Without a terminal, or when the person just presses Enter at an unknown outcome, the
 * item stays open and can be answered by REST.
 */
export async function answerInboxItem(io: Io, engine: RunEngine, { item, signal }: { item: Asked; signal: AbortSignal }): Promise<void> {
  const response = await ask(io, item, signal);
  if (response === undefined || signal.aborted) return;
  await engine.respond(item.id, response);
}

async function ask(io: Io, item: Asked, signal: AbortSignal): Promise<JsonObject | undefined> {
  switch (item.kind) {
    case 'tool_approval':
    case 'sampling_approval': {
      const answer = await io.ask('  allow? [y/N] ', signal);
      if (answer === undefined) return undefined;
      return { action: isYes(answer) ? 'approve' : 'deny' };
    }
    case 'elicitation_form':
      return askForm(io, item.request, signal);
    case 'elicitation_url': {
      const answer = await io.ask('  open this address yourself, then: done? [y/N] ', signal);
      if (answer === undefined) return undefined;
      return { action: isYes(answer) ? 'accept' : 'decline' };
    }
    default: {
      const answer = await io.ask('  what happened? [retry/mark_done/fail] ', signal);
      return answer === 'retry' || answer === 'mark_done' || answer === 'fail' ? { action: answer } : undefined;
    }
  }
}

interface FieldSchema {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly enum?: unknown;
}

async function askForm(io: Io, request: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined> {
  const schema = request['requested_schema'] as { readonly properties?: { readonly [name: string]: FieldSchema } } | undefined;
  const content: { [name: string]: unknown } = {};
  for (const [name, field] of Object.entries(schema?.properties ?? {})) {
    const choices = Array.isArray(field.enum) ? ` [${field.enum.join('/')}]` : '';
    const answer = await io.ask(`  ${typeof field.title === 'string' ? field.title : name}${choices} (empty declines): `, signal);
    if (answer === undefined) return undefined;
    if (answer.trim() === '') return { action: 'decline' };
    content[name] = fieldValue(answer.trim(), field);
  }
  return { action: 'accept', content };
}

function fieldValue(answer: string, field: FieldSchema): unknown {
  if (field.type === 'boolean') return isYes(answer) || answer === 'true';
  if (field.type === 'number' || field.type === 'integer') return Number(answer);
  return answer;
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}
