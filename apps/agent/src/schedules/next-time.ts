/** A cron expression with its time zone. */
export interface CronTimes {
  readonly cron: string;
  readonly timeZone: string;
}

/** A cron expression or time zone that cannot be used. */
export class InvalidCronError extends Error {
  readonly field: 'cron' | 'time_zone';

  constructor(field: InvalidCronError['field'], message: string) {
    super(message);
    this.name = 'InvalidCronError';
    this.field = field;
  }
}

/** Five fields, or a name such as @daily. */
const FIELDS = /^\s*(?:@\w+|\S+(?:\s+\S+){4})\s*$/u;

/**
 * Returns the first time of a cron expression after `after`, in milliseconds since the Unix epoch, or
 * undefined if there is none. A local time that a change of the clock leaves out is moved behind the
 * change, and a local time that occurs twice counts once. With a wildcard or a step in minute or
 * hour, missing times are skipped and repeated times count twice.
 * @throws InvalidCronError
 */
export async function nextTime(
  { cron, timeZone }: CronTimes,
  after: number,
): Promise<number | undefined> {
  if (!isTimeZone(timeZone))
    throw new InvalidCronError(
      'time_zone',
      `${JSON.stringify(timeZone)} is not a time zone such as Europe/Berlin or UTC`,
    );
  const { Cron } = await import('croner');
  try {
    // Croner also accepts a single date and time.
    if (!FIELDS.test(cron)) throw new TypeError('there are not five fields');
    const times = new Cron(cron, {
      timezone: timeZone,
      mode: '5-part',
      fixedTimeRule: 'no-wildcard',
      paused: true,
    });
    return times.nextRun(new Date(after))?.getTime();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Cron\w+: /u, '') : '';
    throw new InvalidCronError(
      'cron',
      `${JSON.stringify(cron)} is not a cron expression with five fields (minute, hour, day, month, weekday): ${reason}`,
    );
  }
}

function isTimeZone(name: string): boolean {
  // Offsets have no daylight saving time, and croner does not support them.
  if (!/^[A-Za-z]/u.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}
