import { LlmError, type LlmEvent } from '../ports/llm-provider.ts';

/** Maximum tool calls of one answer. */
export const MAX_CALLS = 512;
/**
 * Maximum characters of text and reasoning of one answer: twice what the 128,000 output tokens of
 * the largest known models hold.
 */
export const MAX_TEXT_CHARACTERS = 1024 * 1024;
/** Maximum characters of the arguments, names and ids of all tool calls of one answer. */
export const MAX_ARGUMENT_CHARACTERS = 4 * 1024 * 1024;
/** Maximum raw events of one answer, including empty ones. */
export const MAX_RAW_EVENTS = 300_000;

/** Enforces the maximum size of an answer. */
export class AnswerBounds {
  #calls = 0;
  #textCharacters = 0;
  #argumentCharacters = 0;
  #rawEvents = 0;

  /** Counts an event. @throws LlmError `too_large` */
  add(event: LlmEvent): void {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        this.#textCharacters += event.delta.length;
        return assertWithin(this.#textCharacters, MAX_TEXT_CHARACTERS, 'characters of text');
      case 'tool_start':
        this.#calls += 1;
        assertWithin(this.#calls, MAX_CALLS, 'tool calls');
        return this.#addArguments(event.id.length + event.name.length);
      case 'tool_arguments':
        return this.#addArguments(event.delta.length);
      case 'start':
      case 'warning':
      case 'finish':
    }
  }

  /** Counts a raw event. @throws LlmError `too_large` */
  addRawEvent(): void {
    this.#rawEvents += 1;
    assertWithin(this.#rawEvents, MAX_RAW_EVENTS, 'events');
  }

  #addArguments(characters: number): void {
    this.#argumentCharacters += characters;
    assertWithin(this.#argumentCharacters, MAX_ARGUMENT_CHARACTERS, 'characters of tool arguments');
  }
}

function assertWithin(count: number, most: number, what: string): void {
  if (count <= most) return;
  throw new LlmError(
    'too_large',
    `The answer of the model has more than ${most} ${what} and was discarded. Ask for less in one turn; if this repeats, check what the model server sends.`,
  );
}
