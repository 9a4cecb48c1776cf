import { definePrompt, type PromptDefinition } from '@signalbox/mcp-core/server';

/** Returns the demonstration of the reference server, in our words. */
export function mcpDemoPrompt(): PromptDefinition {
  return definePrompt({
    name: 'mcp-demo',
    title: 'Demonstration',
    description: 'Creates sample data on a topic and analyzes it, step by step with the user',
    arguments: [
      {
        name: 'topic',
        description: 'Topic of the sample data, such as retail sales',
        required: true,
      },
    ],
    handler: ({ topic }) => ({
      description: `Demonstration about ${topic}`,
      messages: [{ role: 'user', content: { type: 'text', text: scriptFor(topic) } }],
    }),
  });
}

function scriptFor(topic: string): string {
  return `Show me what this SQLite server can do, with the topic: ${topic}

The server has tools (create_table, write_query, read_query, list_tables, describe_table, chart_query, append_insight), the resource memo://insights, which append_insight extends, and this prompt.

1. Tell a short story about the topic: a person who has to answer a business question from data before a deadline.
2. Create two or three tables for it with create_table, with keys, and fill each with 10 to 15 plausible rows with write_query. If the database is read-only, use the tables that exist.
3. Stop. Summarize the data and offer me three questions about it to choose from, in plain language.
4. Answer the chosen question with read_query and explain the result. Keep what you find with append_insight, and tell me when the memo has changed. Offer one more question.
5. Show the results at a glance: a table, and a chart by chart_query.
6. Present the memo memo://insights as the answer to the business question, and tell me how to attach it to a conversation.

Stay friendly and short, and wait for me where it says stop or offer.`;
}
