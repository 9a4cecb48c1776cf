import type { JsonObject } from '@signalbox/mcp-core';
import type { InboxKind } from '../ports/store/inbox.ts';
import { terminalJson } from '../text/terminal-text.ts';

/** Inbox item in the form that `inbox.opened` and the REST API share. */
export interface Asked {
  readonly id: string;
  readonly kind: InboxKind;
  readonly request: JsonObject;
}

/** Returns the question of an item on one line, with the whole tool call or text to approve. */
export function questionOf({ kind, request }: Asked): string {
  const { server, name, message } = request;
  switch (kind) {
    case 'tool_approval':
      return `may ${String(name)} be called with ${terminalJson(request['arguments'])}${typeof request['reason'] === 'string' ? ` (approval needed again: ${request['reason']})` : ''}`;
    case 'sampling_approval':
      return `may ${String(server)} ask the model ${terminalJson(request['messages'])}`;
    case 'sampling_reply':
      return `may ${String(server)} receive the model's reply: ${terminalJson(request['text'])}`;
    case 'elicitation_form':
      return `${String(server)} asks: ${String(message)}`;
    case 'elicitation_url':
      return [
        `${String(server)} asks: ${String(message)} ${String(request['url'])}`,
        ...warningsOf(request),
      ].join(' ');
    case 'outcome_unknown':
      return `unknown outcome of ${String(name)} with ${terminalJson(request['arguments'])}: ${String(message)}`;
    case 'server_login':
      return String(message);
  }
}

function warningsOf({ warnings }: JsonObject): readonly string[] {
  return Array.isArray(warnings) ? warnings.map((warning) => `Warning: ${String(warning)}`) : [];
}
