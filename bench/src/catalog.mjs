/**
 * An argument of a tool, neutral between the libraries.
 * @typedef {{ readonly description: string, readonly isOptional?: true } & (
 *   | { readonly kind: 'string' | 'boolean' | 'strings' }
 *   | { readonly kind: 'integer', readonly minimum: number, readonly maximum: number }
 *   | { readonly kind: 'choice', readonly values: readonly string[] }
 * )} Field
 *
 * @typedef {{ readonly name: string, readonly description: string, readonly fields: { readonly [name: string]: Field } }} ToolSpec
 */

/** The tool that is called. @type {ToolSpec} */
export const echo = {
  name: 'echo',
  description: 'Says it again.',
  fields: { text: { kind: 'string', description: 'What to say.' } },
};

/** Answers after the given number of progress notifications. @type {ToolSpec} */
export const flood = {
  name: 'flood',
  description: 'Reports progress step by step.',
  fields: {
    notifications: {
      kind: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      description: 'How many steps.',
    },
  },
};

/** Default number of tools of a server. */
export const TOOLS = 30;

const nouns = [
  'customer',
  'order',
  'invoice',
  'product',
  'shipment',
  'ticket',
  'employee',
  'project',
  'document',
  'meeting',
];

/** Tools of the size that business servers have; with `echo` and `flood` there are `tools` in all. @param {number} tools @returns {ToolSpec[]} */
export function fillers(tools) {
  return Array.from({ length: tools - 2 }, (_, index) => {
    const make = [find, get, update][index % 3] ?? find;
    const row = Math.floor(index / 30);
    const noun = nouns[Math.floor(index / 3) % 10] ?? '';
    return make(row === 0 ? noun : `${noun}_${String(row)}`);
  });
}

/** The JSON Schema of a tool's arguments. @param {ToolSpec['fields']} fields */
export function inputSchema(fields) {
  return {
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, property(field)]),
    ),
    required: Object.keys(fields).filter((name) => fields[name]?.isOptional !== true),
  };
}

/** @param {Field} field */
function property(field) {
  const { description } = field;
  switch (field.kind) {
    case 'strings':
      return { type: 'array', items: { type: 'string' }, description };
    case 'integer':
      return { type: 'integer', minimum: field.minimum, maximum: field.maximum, description };
    case 'choice':
      return { type: 'string', enum: field.values, description };
    case 'string':
    case 'boolean':
      return { type: field.kind, description };
  }
}

/** @param {string} noun @returns {ToolSpec} */
function find(noun) {
  return {
    name: `find_${noun}`,
    description: `Finds each ${noun} that matches a text and a state, newest first, one page at a time. Use get_${noun} for all details of one.`,
    fields: {
      query: {
        kind: 'string',
        description: 'Words that must all occur in the name, the number or the notes.',
      },
      state: {
        kind: 'choice',
        values: ['open', 'closed', 'archived', 'any'],
        description: `State of the ${noun}.`,
      },
      limit: {
        kind: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'At most this many on the page.',
      },
      order: {
        kind: 'choice',
        values: ['created', 'updated', 'name'],
        description: 'What to sort by.',
        isOptional: true,
      },
      cursor: {
        kind: 'string',
        description: 'nextCursor of the page before, to read on.',
        isOptional: true,
      },
    },
  };
}

/** @param {string} noun @returns {ToolSpec} */
function get(noun) {
  return {
    name: `get_${noun}`,
    description: `Reads all fields of one ${noun}, with its history when asked for.`,
    fields: {
      id: { kind: 'string', description: `Identifier as find_${noun} gives it.` },
      include: {
        kind: 'strings',
        description: 'Related records to add: history, comments, files.',
        isOptional: true,
      },
      as_of: {
        kind: 'string',
        description: 'ISO 8601 time; the record is read as it was then.',
        isOptional: true,
      },
    },
  };
}

/** @param {string} noun @returns {ToolSpec} */
function update(noun) {
  return {
    name: `update_${noun}`,
    description: `Changes the given fields of one ${noun} and leaves the others as they are. Fails when somebody else has changed it since it was read.`,
    fields: {
      id: { kind: 'string', description: `Identifier as find_${noun} gives it.` },
      version: {
        kind: 'integer',
        minimum: 1,
        maximum: 1_000_000,
        description: 'Version that was read; the change fails if it is no longer the newest.',
      },
      title: { kind: 'string', description: 'New title.', isOptional: true },
      notes: {
        kind: 'string',
        description: 'New notes, Markdown. Replaces the old ones.',
        isOptional: true,
      },
      tags: { kind: 'strings', description: 'New tags. Replaces the old ones.', isOptional: true },
      priority: {
        kind: 'choice',
        values: ['low', 'normal', 'high', 'urgent'],
        description: 'New priority.',
        isOptional: true,
      },
      notify: {
        kind: 'boolean',
        description: 'Whether the people who watch it are told.',
        isOptional: true,
      },
    },
  };
}
