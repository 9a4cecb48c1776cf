import { PACE, TOOL_FAILED } from './demo-parts.ts';
import type { ScenarioFile } from './scenario.ts';

/** Fails: the table has `price_cents`. The message of the database names the columns that exist. */
const WRONG_QUERY = 'SELECT name, price FROM products WHERE name = ?';
const CURRENT_PRICE =
  "SELECT name, printf('%.2f', price_cents / 100.0) AS price FROM products WHERE name = ?";
const CHANGE_PRICE = `UPDATE products SET price_cents = ? * 100 WHERE name = ?
RETURNING name, printf('%.2f', price_cents / 100.0) AS price`;

/**
 * Scenario of a run in which a call fails, the next one corrects it, and a change needs an approval. No other demo reads the
 * prices of products.
 */
export const PRICE_SCENARIO: ScenarioFile['scenarios'][number] = {
  name: 'price',
  title: 'Change a price, after a mistake and an approval',
  prompt: 'Raise the price of the Brass Chair to 300',
  pace: PACE,
  turns: [
    {
      when: {
        lastUser: String.raw`^(?:please )?(?:raise|lower|change|set) the price of (?:the )?(\p{L}[\p{L}' -]{0,40}?) to (\d{1,6})(?:[\s.!]|$)`,
        turn: 1,
        tools: ['sqlite__read_query', 'sqlite__write_query'],
      },
      emit: [
        { text: 'I will look up the price of the ${1}.' },
        {
          tool: 'sqlite__read_query',
          label: 'wrong',
          input: { query: WRONG_QUERY, params: ['${1}'] },
        },
      ],
    },
    {
      when: { toolResult: 'wrong', toolError: true },
      emit: [
        { text: 'That failed: ${error.text}. I will read the price in cents.' },
        {
          tool: 'sqlite__read_query',
          label: 'current',
          input: { query: CURRENT_PRICE, params: ['${1}'] },
        },
      ],
    },
    {
      when: { toolResult: 'current' },
      emit: [
        {
          text: 'The ${result.current.structuredContent.rows[0][0]} costs ${result.current.structuredContent.rows[0][1]}. I will change that, if I may.',
        },
        {
          tool: 'sqlite__write_query',
          label: 'change',
          input: { query: CHANGE_PRICE, params: ['${2}', '${1}'] },
        },
      ],
    },
    {
      when: { toolResult: 'change' },
      emit: [
        {
          text: 'The ${result.change.structuredContent.rows[0][0]} now costs ${result.change.structuredContent.rows[0][1]}, after ${result.current.structuredContent.rows[0][1]}.',
        },
      ],
    },
    {
      when: { toolResult: 'change', toolError: true },
      emit: [
        {
          text: 'The ${result.current.structuredContent.rows[0][0]} still costs ${result.current.structuredContent.rows[0][1]}: ${error.text}',
        },
      ],
    },
    { when: { toolError: true }, emit: [{ text: TOOL_FAILED }] },
  ],
};
