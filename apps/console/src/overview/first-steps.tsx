import { useMutation, useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useServerChoices } from '../app/choices.ts';
import { Link } from '../app/link.tsx';
import { navigate } from '../app/router.ts';
import { useClient } from '../app/session.tsx';
import { Button } from '../ui/button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { Icon } from '../ui/icon.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { readDemo, DEMO_METADATA, DEMO_PROMPT, stepsOf, type Step } from './demo-run.ts';

/** Name of the entry in the storage of the browser after the steps were hidden. */
const HIDDEN = 'signalbox.first-steps';
const REFRESH_MS = 2000;

/** Leads a newcomer through a demo run: start it, answer its question, see why a call failed, repeat it. */
export function FirstSteps(): ReactNode {
  const client = useClient();
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  const { data: health } = useQuery({
    queryKey: ['health'],
    queryFn: ({ signal }) => unwrap(client.api.GET('/healthz', { signal })),
    staleTime: 60_000,
  });
  const servers = useServerChoices();
  if (isHidden || health?.scripted !== true || servers === undefined) return null;
  const hasDemo = servers.some(({ server_info: info }) => info?.name === 'signalbox-sqlite');
  const hide = (): void => {
    localStorage.setItem(HIDDEN, 'hidden');
    setIsHidden(true);
  };
  return hasDemo ? <DemoSteps onHide={hide} /> : <NoModel />;
}

function DemoSteps({ onHide }: { readonly onHide: () => void }): ReactNode {
  const client = useClient();
  const { data: demo } = useQuery({
    queryKey: ['demo'],
    queryFn: ({ signal }) => readDemo(client, signal),
    refetchInterval: REFRESH_MS,
  });
  const start = useMutation({
    mutationFn: () =>
      client.runs.create({ prompt: DEMO_PROMPT, servers: ['sqlite'], metadata: DEMO_METADATA }),
    onSuccess: ({ id }) => navigate(`/runs/${encodeURIComponent(id)}`),
  });
  if (demo === undefined) return null;
  const steps = stepsOf(demo);
  const isOver = steps.every(({ isDone }) => isDone);
  return (
    <section className="card first-steps" aria-labelledby="first-steps">
      <div className="first-steps-title">
        <h2 id="first-steps">{isOver ? 'You have seen the basics' : 'Your first steps'}</h2>
        <Button kind="quiet" icon="close" onClick={onHide}>
          Hide
        </Button>
      </div>
      <p>
        {isOver
          ? 'Try the other demonstrations of the page New run, or connect a model and servers of your own.'
          : 'No model is configured, so a script plays its part. The tool calls and their results are real.'}
      </p>
      <ol>
        {steps.map((step, index) => (
          <StepItem key={step.id} step={step} number={index + 1}>
            {step.id === 'start' && (
              <Button
                kind={step.isCurrent ? 'primary' : 'quiet'}
                icon="play"
                isBusy={start.isPending}
                onClick={() => start.mutate()}
              >
                {step.isDone ? 'Start it again' : 'Start the demo'}
              </Button>
            )}
          </StepItem>
        ))}
      </ol>
      {start.error !== null && (
        <ErrorNotice title="The demo could not be started" error={start.error} />
      )}
    </section>
  );
}

interface StepItemProps {
  readonly step: Step;
  readonly number: number;
  readonly children: ReactNode;
}

function StepItem({ step, number, children }: StepItemProps): ReactNode {
  const { title, text, quote, link, isDone, isCurrent } = step;
  return (
    <li
      className={isDone ? 'is-done' : isCurrent ? 'is-current' : undefined}
      aria-current={isCurrent ? 'step' : undefined}
    >
      <span className="step-mark">{isDone ? <Icon name="check" /> : number}</span>
      <div>
        <h3>
          {title}
          {isDone && <span className="visually-hidden"> (done)</span>}
        </h3>
        {isCurrent && <p>{text}</p>}
        {quote !== undefined && isCurrent && (
          <p className="step-quote">
            <PlainText text={quote} />
          </p>
        )}
        <div className="actions">
          {children}
          {link !== undefined && (isCurrent || isDone) && (
            <Link className={isCurrent ? 'button primary' : 'button quiet'} href={link.href}>
              {link.label}
            </Link>
          )}
        </div>
      </div>
    </li>
  );
}

/** Says what a service without a model can do. */
function NoModel(): ReactNode {
  return (
    <div className="notice">
      <Icon name="signal" />
      <div>
        <strong>No model is configured</strong>
        <p>
          Set <code>OPENAI_API_KEY</code> or <code>ANTHROPIC_API_KEY</code> and start the service
          again, or start it with <code>--demo</code> to try demonstrations without a key. The{' '}
          <Link href="/servers">tools of your servers</Link> work without a model.
        </p>
      </div>
    </div>
  );
}
