import type { Artifact } from '../api-types.ts';
import type { Api } from '../create-api.ts';
import { newIdempotencyKey } from '../retry/idempotency-key.ts';
import { withRetries, type OnceOptions } from '../retry/with-retries.ts';
import { unwrap } from '../unwrap.ts';

/** Options of {@link Artifacts.create}. */
export interface ArtifactOptions extends OnceOptions {
  /** Media type of the content. Default: that of a `Blob` or `File`, else `text/plain`. */
  readonly mediaType?: string | undefined;
}

/** Milliseconds of an attempt: 4 MiB at 7 KB a second. */
const UPLOAD_MS = 600_000;

/** Requests about the files of runs. Their methods throw `ProblemError`, or the error of `fetch`. */
export class Artifacts {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Stores a file of at most 4 MiB for runs, once, even if the response is lost and the request is sent again. Name its `id` in `artifacts` of a run.
   * @throws ProblemError `payload_too_large` and `unsupported_media_type`
   */
  create(
    content: Blob | string,
    { mediaType, idempotencyKey = newIdempotencyKey(), ...options }: ArtifactOptions = {},
  ): Promise<Artifact> {
    const ownType = typeof content === 'string' ? '' : content.type;
    const type = mediaType ?? (ownType === '' ? 'text/plain' : ownType);
    return withRetries(
      options,
      (signal) =>
        unwrap(
          this.#api.POST('/v1/artifacts', {
            params: { header: { 'Idempotency-Key': idempotencyKey } },
            // The body is the file itself, which the schema of the document calls a text.
            body: content as string,
            bodySerializer: (body: unknown) => body,
            headers: { 'content-type': type },
            signal,
          }),
        ),
      UPLOAD_MS,
    );
  }
}
