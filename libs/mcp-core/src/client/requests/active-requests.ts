import type { ActiveRequest } from './active-request.ts';
import { DeadlineTimer } from './deadline-timer.ts';

/** The requests that wait for a response, by id. One timer enforces all their limits. */
export class ActiveRequests {
  readonly #requests = new Map<unknown, ActiveRequest>();
  readonly #timer = new DeadlineTimer(() => this.#sweep());
  readonly #onOverdue: (request: ActiveRequest, problem: string) => void;
  #pausedAt: number | undefined;

  /** `onOverdue` is called when a limit has passed; it must delete the request. */
  constructor(onOverdue: (request: ActiveRequest, problem: string) => void) {
    this.#onOverdue = onOverdue;
  }

  get isEmpty(): boolean {
    return this.#requests.size === 0;
  }

  add(request: ActiveRequest): void {
    this.#requests.set(request.id, request);
    if (this.#pausedAt === undefined) this.#timer.fireBy(request.dueAt);
  }

  get(id: unknown): ActiveRequest | undefined {
    return this.#requests.get(id);
  }

  /** Returns the request that waits for the result of a task. */
  waitingFor(taskId: unknown): ActiveRequest | undefined {
    return [...this.#requests.values()].find(
      ({ method, params }) => method === 'tasks/result' && params.taskId === taskId,
    );
  }

  delete(request: ActiveRequest): void {
    this.#requests.delete(request.id);
    if (this.#requests.size === 0) this.#timer.idle();
  }

  /** Pauses or resumes all limits. */
  pause(isPaused: boolean): void {
    if (isPaused) {
      this.#pausedAt = performance.now();
      this.#timer.stop();
      return;
    }
    const pausedAt = this.#pausedAt ?? Infinity;
    this.#pausedAt = undefined;
    for (const request of this.#requests.values()) request.resume(pausedAt);
    this.#sweep();
  }

  /** Disables all limits. */
  stop(): void {
    this.#timer.stop();
  }

  #sweep(): void {
    const now = performance.now();
    let next = Infinity;
    for (const request of this.#requests.values()) {
      const problem = request.overdue(now);
      if (problem === undefined) next = Math.min(next, request.dueAt);
      else this.#onOverdue(request, problem);
    }
    if (next < Infinity) this.#timer.fireBy(next);
  }
}
