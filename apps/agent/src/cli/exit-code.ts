/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** The run failed, the service refused, a check did not hold. */
  failed: 1,
  /** The command line or the configuration cannot be used. */
  unusable: 2,
  /** Nothing could be answered: no model, no script for the task, or no server of the run was ready. */
  unanswered: 3,
  /** The run ended, but something needed a person and nobody could be asked. */
  unasked: 4,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `Exit codes
  0  done
  1  failed, or the service refused
  2  the command line or the configuration cannot be used
  3  nothing could be answered: no model and no script for the task, or no server was ready
  4  something needed a person, and nobody could be asked
  130  interrupted`;
