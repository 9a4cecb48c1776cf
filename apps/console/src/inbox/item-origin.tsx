import { useQuery } from '@tanstack/react-query';
import { isSettled, type InboxItem } from '@signalbox/client';
import type { ReactNode } from 'react';
import { Link } from '../app/link.tsx';
import { useClient } from '../app/session.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Time } from '../ui/time.tsx';

/** Characters of a prompt that are shown. */
const MAX_PROMPT = 200;
/** Name of the API key in a service that asks for none. */
const WITHOUT_KEY = 'anonymous';

/** Says which run an item belongs to, on whose behalf, and until when it can be answered. */
export function ItemOrigin({ item }: { readonly item: InboxItem }): ReactNode {
  const { runs } = useClient();
  const { data: run } = useQuery({
    queryKey: ['inbox', 'run', item.run_id],
    queryFn: ({ signal }) => runs.get(item.run_id, { signal }),
  });
  return (
    <dl className="fact-list item-origin">
      <div>
        <dt>Server</dt>
        <dd>
          <Link href={`/servers/${encodeURIComponent(item.request.server)}`}>
            <PlainText text={item.request.server} />
          </Link>
        </dd>
      </div>
      <div>
        <dt>Run</dt>
        <dd>
          <Link href={`/runs/${encodeURIComponent(item.run_id)}`}>
            {run === undefined ? (
              item.run_id
            ) : (
              <PlainText text={shortened(run.prompt) || item.run_id} />
            )}
          </Link>
        </dd>
      </div>
      {run !== undefined && (
        <div>
          <dt>Asked by</dt>
          <dd>
            {run.kind === 'call' ? (
              'a direct call of a person'
            ) : run.scripted ? (
              'a script in place of a model'
            ) : (
              <>
                the model <PlainText text={run.model ?? 'of the service'} />
              </>
            )}
            {run.api_key !== WITHOUT_KEY && (
              <>
                , for the API key <PlainText text={run.api_key} />
              </>
            )}
          </dd>
        </div>
      )}
      <div>
        <dt>{item.state === 'open' ? 'Expires' : 'Opened'}</dt>
        <dd>
          <Time at={item.state === 'open' ? item.expires_at : item.created_at} />
          {run !== undefined && item.state === 'open' && !isSettled(run) && ' unless answered'}
        </dd>
      </div>
    </dl>
  );
}

function shortened(prompt: string): string {
  return prompt.length > MAX_PROMPT ? `${prompt.slice(0, MAX_PROMPT)}…` : prompt;
}
