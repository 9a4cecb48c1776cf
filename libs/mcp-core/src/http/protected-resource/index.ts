export { protectedResource } from './protected-resource.ts';
export type {
  DpopOptions,
  IntrospectionOptions,
  ProtectedResourceOptions,
} from './protected-resource-options.ts';
