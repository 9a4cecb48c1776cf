export {
  AddressGuard,
  RefusedUrlError,
  pinnedLookup,
  type AddressGuardOptions,
  type HostAddress,
  type Resolve,
} from './address-guard.ts';
export { parseNetwork } from './refused-networks.ts';
