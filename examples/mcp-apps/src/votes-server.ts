import { readFileSync } from 'node:fs';
import { createServer, defineTool, type Server } from '@signalbox/mcp-core/server';
import { serveViews, type View, withUi } from './views.ts';

const view: View = {
  uri: 'ui://votes/results',
  name: 'Votes',
  description: 'The votes, with a button for each choice',
  html: readFileSync(new URL('votes.html', import.meta.url), 'utf8'),
  ui: { prefersBorder: true },
};
const outputSchema = {
  type: 'object',
  properties: { votes: { type: 'object', additionalProperties: { type: 'integer' } } },
  required: ['votes'],
} as const;

/** Creates a server that counts votes: the model shows them, and the user votes in the view. */
export function createVotesServer(choices: readonly string[]): Server {
  const votes = new Map(choices.map((choice) => [choice, 0]));
  const shown = () => ({ structuredContent: { votes: Object.fromEntries(votes) } });
  const showVotes = defineTool({
    name: 'show_votes',
    description: 'Shows the votes so far, and lets the user vote.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    handler: shown,
  });
  const castVote = defineTool({
    name: 'cast_vote',
    description: 'Counts one vote.',
    inputSchema: {
      type: 'object',
      properties: { choice: { enum: choices } },
      required: ['choice'],
      additionalProperties: false,
    },
    outputSchema,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
    handler: ({ choice }) => {
      votes.set(choice, (votes.get(choice) ?? 0) + 1);
      return shown();
    },
  });
  const resourceUri = view.uri;
  return createServer({
    info: { name: 'votes', version: '1.0.0' },
    ...serveViews(
      [view],
      [
        withUi(showVotes, { resourceUri }),
        // Only the user votes, not the model.
        withUi(castVote, { resourceUri, visibility: ['app'] }),
      ],
    ),
  });
}
