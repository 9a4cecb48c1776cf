import type { Processor, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';
import type { Job, JobLane } from '../ports/job-queue.ts';

/** The database on which BullMQ keeps its queues. */
export interface BullmqEngine {
  createQueue(lane: JobLane, options: Omit<QueueOptions, 'connection'>): Queue<Job>;
  /** Creates a worker, which begins at once. */
  createWorker(
    lane: JobLane,
    processor: Processor<Job, void>,
    options: Omit<WorkerOptions, 'connection'>,
  ): Worker<Job, void>;
  /** Whether the database answered the last command. */
  isUp(): boolean;
  /** Runs commands. Rejects while the database does not answer, as soon as that is known. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Runs commands, which are lost while the database does not answer. Rejects for other errors. */
  ifUp(work: () => Promise<void>): Promise<void>;
  /** Returns the text of an error for the log, without user and password. */
  textOf(error: Error): string;
  /** Returns the due time of a job in milliseconds since the Unix epoch. Undefined: it is not delayed. */
  dueAt(queue: Queue<Job>, jobId: string): Promise<number | undefined>;
}
