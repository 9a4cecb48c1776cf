import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@signalbox/client';
import { useState, type ReactNode } from 'react';
import { useClient } from '../app/session.tsx';
import { ResultView } from '../runs/result/result-view.tsx';
import '../runs/run-page.css';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { ErrorNotice } from '../ui/error-notice.tsx';
import { PlainText } from '../ui/plain-text.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Time } from '../ui/time.tsx';
import { useChanges } from './use-changes.ts';

interface ResourceViewProps {
  readonly server: string;
  readonly uri: string;
}

/** The contents of a resource, which can be watched: they are read again when the server announces a change. */
export function ResourceView({ server, uri }: ResourceViewProps): ReactNode {
  const { api } = useClient();
  const [isWatched, setIsWatched] = useState(false);
  const { data, error, isFetching, dataUpdatedAt, refetch } = useQuery({
    queryKey: ['servers', server, 'resource', uri],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/v1/servers/{name}/resources/read', {
          params: { path: { name: server }, query: { uri } },
          signal,
        }),
      ),
    refetchOnWindowFocus: false,
  });
  return (
    <article className="card resource-view" aria-labelledby="resource-name">
      <div className="call-watch-title">
        <h2 id="resource-name" className="mono">
          <PlainText text={uri} />
        </h2>
        <CopyButton label="Copy the address" text={uri} isIcon />
      </div>
      <div className="actions">
        <Button icon="retry" isBusy={isFetching} onClick={() => void refetch()}>
          Read again
        </Button>
        <Button onClick={() => setIsWatched(!isWatched)}>
          {isWatched ? 'Stop watching' : 'Watch for changes'}
        </Button>
      </div>
      {isWatched && <Watch server={server} uri={uri} onUpdate={() => void refetch()} />}
      {error !== null && (
        <ErrorNotice
          title="The resource could not be read"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Spinner label="Reading the resource" />}
      {data !== undefined && (
        <>
          <p className="faint">
            Read <Time at={new Date(dataUpdatedAt).toISOString()} form="clock" />
          </p>
          {data.data.map((contents, index) => (
            // Contents have no other identity than their place.
            // oxlint-disable-next-line react/no-array-index-key
            <div key={index}>
              {typeof contents['mimeType'] === 'string' && (
                <p className="faint">
                  <PlainText text={contents['mimeType']} />
                </p>
              )}
              <ResultView result={{ content: [{ type: 'resource', resource: contents }] }} />
            </div>
          ))}
        </>
      )}
    </article>
  );
}

interface WatchProps extends ResourceViewProps {
  readonly onUpdate: () => void;
}

/** Follows the changes of a resource and says how many came. */
function Watch({ server, uri, onUpdate }: WatchProps): ReactNode {
  const [isOn, setIsOn] = useState(false);
  const [updates, setUpdates] = useState(0);
  useChanges({ server, uri }, ({ type, uri: changed }) => {
    if (type === 'subscribed') setIsOn(true);
    if (type === 'missed' || (type === 'resource.updated' && changed === uri)) {
      setUpdates((count) => count + 1);
      onUpdate();
    }
  });
  return (
    <p role="status">
      <Badge tone={isOn ? 'good' : 'busy'} isLive>
        {isOn ? 'Watching' : 'Subscribing'}
      </Badge>{' '}
      <span className="faint">
        {updates === 0
          ? 'No change yet'
          : `${updates} ${updates === 1 ? 'change' : 'changes'} since you watch`}
      </span>
    </p>
  );
}
