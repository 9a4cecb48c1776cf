export { createLogger, LOG_LEVELS } from './logger.ts';
export type { Logger, LoggerOptions, LogLevel } from './logger.ts';
export { choiceOption, integerOption } from './option-values.ts';
export type { Choice, IntegerRange, OptionValues } from './option-values.ts';
export { packageVersion } from './package-version.ts';
export { runServer } from './run-server.ts';
export type { ServerMain, StartedServer, StartInput } from './run-server.ts';
export { UsageError } from './usage-error.ts';
