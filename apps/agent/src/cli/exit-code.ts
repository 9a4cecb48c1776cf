/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  /** The run failed, the service rejected a request, or a check failed. */
  failed: 1,
  /** The command line or the configuration is invalid. */
  unusable: 2,
  /** The task could not be answered: no model, no script for it, or no server of the run was ready. */
  unanswered: 3,
  /** The run ended, but it needed input and no terminal was available. */
  unasked: 4,
  interrupted: 130,
} as const;

export const EXIT_CODES_HELP = `Exit codes
  0  done
  1  failed, or the service rejected the request
  2  invalid command line or configuration
  3  no answer: no model and no script for the task, or no server was ready
  4  the run needed user input, but no terminal was available or --json was set
  130  interrupted`;
