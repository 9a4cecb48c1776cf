/**
 * The validation library of most servers; our core uses it only through the Standard Schema
 * interface.
 */
export { z } from 'zod';
