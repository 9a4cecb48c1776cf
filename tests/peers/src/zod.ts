/** The validation library most servers use; our core knows it by the Standard Schema interface only. */
export { z } from 'zod';
