import { printable } from '../printable.ts';

/** Problems of values by JSON pointer, such as `/places/0`. */
export interface FieldErrors {
  readonly [pointer: string]: string;
}

/** Values of a form by name. */
export interface FormValue {
  readonly [name: string]: unknown;
}

/**
 * Returns the problems of an object in a request by their pointers into the object. @param errors - `fields` of a problem.
 * @param base - Pointer to the object, such as `/body/arguments`.
 */
export function errorsBelow(
  errors: readonly { readonly path: string; readonly message: string }[],
  base: string,
): FieldErrors {
  return Object.fromEntries(
    errors
      .filter(({ path }) => path === base || path.startsWith(`${base}/`))
      .map(({ path, message }) => [path.slice(base.length), printable(message)]),
  );
}
