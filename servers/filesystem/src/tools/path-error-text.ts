import type { PathError } from '@signalbox/file-sandbox';

/** Returns the message of a path error with the tool that helps, if there is one. */
export function pathErrorText({ message, reason }: PathError): string {
  return reason === 'outside'
    ? `${message} Call list_allowed_directories to see what is allowed.`
    : message;
}
