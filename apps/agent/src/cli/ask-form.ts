import type { JsonObject } from '@signalbox/mcp-core';
import { fieldsOf } from '../run/input/elicitation-form.ts';
import { valueProblem, type Choice, type FormField } from '../run/input/form-field.ts';
import { terminalLine } from '../text/terminal-text.ts';
import { askYesNo } from './ask-word.ts';
import type { Io } from './io.ts';

const DECLINE = '!decline';

/**
 * Asks a person to fill in a form, field by field. Enter takes the default of a field or omits an optional field. An invalid value
 * is asked for again. Returns the response to the inbox item.
 */
export async function askForm(
  io: Io,
  request: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const content: { [name: string]: unknown } = {};
  const fields = fieldsOf(request);
  if (fields.length === 0)
    return (await askYesNo(io, '  accept? [y/N] ', signal))
      ? { action: 'accept', content }
      : { action: 'decline' };
  io.err(`  type ${DECLINE} instead of a value to decline\n`);
  for (const field of fields) {
    const answer = await askField(io, field, signal);
    if (answer === 'ended') return { action: 'cancel' };
    if (answer === 'declined') return { action: 'decline' };
    if (answer !== 'empty') content[field.name] = answer.value;
  }
  return { action: 'accept', content };
}

async function askField(
  io: Io,
  field: FormField,
  signal: AbortSignal,
): Promise<'ended' | 'declined' | 'empty' | { readonly value: unknown }> {
  describe(io, field);
  for (;;) {
    const typed = await io.ask(`  ${promptOf(field)}: `, signal);
    if (typed === undefined) return 'ended';
    const text = typed.trim();
    if (text === DECLINE) return 'declined';
    if (text === '') {
      if (field.default !== undefined) return { value: field.default };
      if (!field.required) return 'empty';
      io.err(`    a value is required; ${DECLINE} declines the whole form\n`);
      continue;
    }
    const value = valueOf(text, field);
    const problem = valueProblem(field, value);
    if (problem === undefined) return { value };
    io.err(`    ${terminalLine(`${field.title ?? field.name} ${problem}`)}\n`);
  }
}

function describe(io: Io, { name, title = name, description, choices = [] }: FormField): void {
  if (description !== undefined) io.err(`  ${terminalLine(`${title}: ${description}`)}\n`);
  // Short choices are part of the question; others are listed with numbers.
  if (isListed(choices))
    for (const [index, choice] of choices.entries())
      io.err(`    ${index + 1}) ${terminalLine(choice.title)}\n`);
}

function isListed(choices: readonly Choice[]): boolean {
  return (
    choices.some(({ value, title }) => String(value) !== title || title.length > 20) ||
    choices.length > 6
  );
}

function promptOf(field: FormField): string {
  const { name, title = name, type, choices = [], required } = field;
  const hint =
    choices.length === 0
      ? type === 'boolean'
        ? ' [y/n]'
        : ''
      : isListed(choices)
        ? ` [1-${choices.length}${type === 'array' ? ', comma-separated' : ''}]`
        : ` [${choices.map((choice) => choice.title).join('/')}]`;
  const enter =
    field.default !== undefined
      ? `Enter takes ${shownDefault(field)}`
      : required
        ? 'required'
        : 'optional';
  return terminalLine(`${title}${hint} (${enter})`);
}

function shownDefault({ default: value, choices = [], type }: FormField): string {
  if (type === 'boolean') return value === true ? 'yes' : 'no';
  const titles = (Array.isArray(value) ? (value as readonly string[]) : [value]).map(
    (each) => choices.find((choice) => choice.value === each)?.title ?? String(each),
  );
  return titles.length === 0 ? 'none' : titles.join(', ');
}

function valueOf(text: string, { type, choices = [] }: FormField): unknown {
  switch (type) {
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : text;
    case 'number':
    case 'integer':
      return (
        chosen(text, choices) ??
        (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : text)
      );
    case 'array':
      return text.split(',').map((each) => chosen(each.trim(), choices) ?? each.trim());
    case 'string':
      return chosen(text, choices) ?? text;
  }
}

/** Returns the choice with this value, title or number in the list. */
function chosen(text: string, choices: readonly Choice[]): Choice['value'] | undefined {
  const word = text.toLowerCase();
  const named =
    choices.find(({ value }) => String(value) === text) ??
    choices.find(
      ({ value, title }) => String(value).toLowerCase() === word || title.toLowerCase() === word,
    );
  const numbered = /^\d+$/.test(text) && isListed(choices) ? choices[Number(text) - 1] : undefined;
  return (named ?? numbered)?.value;
}
