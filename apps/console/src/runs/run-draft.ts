import type { NewRun } from '@signalbox/client';

/** Values of the form for a new run, as the person typed them. */
export interface RunDraft {
  readonly prompt: string;
  readonly agentId: string;
  /** Empty: the current version. */
  readonly agentVersion: string;
  readonly model: string;
  /** Empty: every server. */
  readonly servers: readonly string[];
  readonly instructions: string;
  readonly priority: string;
  readonly turns: string;
  readonly costUsd: string;
  readonly minutes: string;
  /** Lines such as `team=support`. */
  readonly metadata: string;
}

export const EMPTY_DRAFT: RunDraft = {
  prompt: '',
  agentId: '',
  agentVersion: '',
  model: '',
  servers: [],
  instructions: '',
  priority: '',
  turns: '',
  costUsd: '',
  minutes: '',
  metadata: '',
};

/** Returns the draft of a text that `JSON.stringify` made of one, or the initial draft for the empty text. */
export function readDraft(text: string, initial: RunDraft): RunDraft {
  // An earlier version of the console in the same tab may have known fewer fields.
  return text === '' ? initial : { ...initial, ...(JSON.parse(text) as Partial<RunDraft>) };
}

const MINUTE_MS = 60_000;

/** Returns the request of a form. Empty fields are left out. */
export function newRunOf(draft: RunDraft): NewRun {
  const { prompt, agentId, model, servers, instructions, priority } = draft;
  const limits = {
    ...positive('turns', draft.turns),
    ...positive('cost_usd', draft.costUsd),
    ...positive('wall_clock_ms', draft.minutes, MINUTE_MS),
  };
  const metadata = readMetadata(draft.metadata);
  return {
    prompt,
    ...(agentId !== '' && {
      agent_id: agentId,
      ...positive('agent_version', draft.agentVersion),
    }),
    ...(model !== '' && { model }),
    ...(servers.length > 0 && { servers: [...servers] }),
    ...(instructions.trim() !== '' && { instructions }),
    ...(isPriority(priority) && { priority }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

/** Reads lines of the form `name=value`. Other lines are ignored. */
function readMetadata(text: string): { [name: string]: string } {
  return Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const place = line.indexOf('=');
      const name = line.slice(0, place).trim();
      return place < 0 || name === '' ? [] : [[name, line.slice(place + 1).trim()]];
    }),
  );
}

function positive(name: string, text: string, factor = 1): { [name: string]: number } {
  const value = Number(text);
  return value > 0 ? { [name]: value * factor } : {};
}

function isPriority(text: string): text is 'high' | 'normal' | 'low' {
  return text === 'high' || text === 'normal' || text === 'low';
}
