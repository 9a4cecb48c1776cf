import { isSettled, unwrap, type Client, type components, type Run } from '@signalbox/client';

/** Task of the demo: one of its calls fails, and a change needs an approval. */
export const DEMO_PROMPT = 'Raise the price of the Brass Chair to 300';
/** Metadata by which the run of the demo is found again. */
export const DEMO_METADATA = { demo: 'first-steps' };

/** A call of the demo that failed. */
export interface FailedCall {
  readonly id: string;
  /** Event of the failure. */
  readonly seq: number;
  readonly message: string;
}

/** Progress of the demo so far. */
export interface Demo {
  /** The newest run of the demo; undefined before its start. */
  readonly run: Run | undefined;
  readonly failedCall: FailedCall | undefined;
  /** Run that repeated the failed call. */
  readonly repetition: Run | undefined;
}

/** A step of a newcomer. */
export interface Step {
  readonly id: 'start' | 'answer' | 'explain' | 'repeat';
  readonly title: string;
  readonly text: string;
  /** Text of the service, such as the message of a failure. */
  readonly quote?: string | undefined;
  readonly link?: { readonly href: string; readonly label: string } | undefined;
  readonly isDone: boolean;
  /** Whether it is the first step that is not done. */
  readonly isCurrent: boolean;
}

/** Reads what has happened in the demo. @throws ProblemError */
export async function readDemo(client: Client, signal: AbortSignal): Promise<Demo> {
  const listed = await newestRun(client, DEMO_METADATA, signal);
  if (listed === undefined) return { run: undefined, failedCall: undefined, repetition: undefined };
  const { id } = listed;
  const [run, failedCall] = await Promise.all([
    client.runs.get(id, { signal }),
    findFailedCall(client, id, signal),
  ]);
  const repetition =
    failedCall === undefined
      ? undefined
      : await newestRun(client, { repeats: failedCall.id }, signal);
  return { run, failedCall, repetition };
}

/** Returns the steps with their state. */
export function stepsOf({ run, failedCall, repetition }: Demo): readonly Step[] {
  const runPath = run === undefined ? undefined : `/runs/${encodeURIComponent(run.id)}`;
  const isAsking = run !== undefined && run.inbox.length > 0 && !isSettled(run);
  const failed = failedCall === undefined ? undefined : `${runPath}#event-${failedCall.seq}`;
  const repeated =
    repetition === undefined ? undefined : `/runs/${encodeURIComponent(repetition.id)}`;
  const isAnswered = run !== undefined && isSettled(run);
  const isRepeated = repetition?.status === 'completed';
  const steps: readonly Omit<Step, 'isCurrent'>[] = [
    {
      id: 'start',
      title: 'Start a run',
      text: `The task: “${DEMO_PROMPT}.” It uses the shop database of the demo.`,
      isDone: run !== undefined,
    },
    {
      id: 'answer',
      title: 'Watch it, and answer its question',
      text: isAsking
        ? 'It waits for you: a change of the database needs an approval. Approve it in the run, or in the inbox.'
        : 'It looks up the price, and then asks before it changes something.',
      link:
        runPath === undefined
          ? undefined
          : { href: runPath, label: isAsking ? 'Answer the question' : 'Open the run' },
      isDone: isAnswered,
    },
    {
      id: 'explain',
      title: 'Find out why a call failed',
      text: 'The first query of the run failed, and the model corrected it. The failed call shows the message of the database:',
      quote: failedCall?.message,
      link: failed === undefined ? undefined : { href: failed, label: 'See the failed call' },
      isDone: repetition !== undefined,
    },
    {
      id: 'repeat',
      title: 'Repeat the call, corrected',
      text: 'Choose “Call again” at the failed call, and replace price by price_cents in the query. The call runs without a model.',
      link:
        isRepeated && repeated !== undefined
          ? { href: repeated, label: 'See the repeated call' }
          : failed === undefined
            ? undefined
            : { href: failed, label: 'To the failed call' },
      isDone: isRepeated,
    },
  ];
  const current = steps.find(({ isDone }) => !isDone)?.id;
  return steps.map((step) => ({ ...step, isCurrent: step.id === current }));
}

async function newestRun(
  { api }: Client,
  metadata: { [name: string]: string },
  signal: AbortSignal,
): Promise<Run | undefined> {
  const request = api.GET('/v1/runs', { params: { query: { metadata, limit: 1 } }, signal });
  return (await unwrap(request)).data[0];
}

async function findFailedCall(
  { api }: Client,
  id: string,
  signal: AbortSignal,
): Promise<FailedCall | undefined> {
  const page = await unwrap(
    api.GET('/v1/runs/{id}/events', {
      params: { path: { id }, query: { types: 'tool_call.failed', limit: 10 } },
      signal,
    }),
  );
  // The service answers with a stream only where the request accepts one.
  const { data } = page as components['schemas']['RunEventPage'];
  for (const { type, seq, data: failure } of data)
    if (type === 'tool_call.failed') return { id: failure.call_id, seq, message: failure.message };
  return undefined;
}
