import type { KnownFault } from './known-fault.ts'

const requests = 'test/unit/functions/requests.test.ts'
const requestsOverHttp = 'test/e2e/requests.test.ts'
const gatewayKeys = 'test/unit/functions/gateway-keys/follow-table.test.ts'

/** Faults of single functions: the operations, the unknown route, and the keys of API Gateway. */
export const functions: readonly KnownFault[] = [
  {
    title: 'a pet that does not exist is an empty response',
    file: 'functions/get-pet/get-pet.ts',
    find: "if (pet === undefined) throw new ServiceError('pet_not_found')",
    replaceBy: 'if (pet === undefined) return ok({} as never)',
    test: requests,
  },
  {
    title: 'a replayed creation does not say so',
    file: 'functions/create-pet/create-pet.ts',
    find: "replayed ? { 'Idempotency-Replayed': 'true' } : {}",
    replaceBy: '{}',
    test: requests,
  },
  {
    title: 'a list has no link to its next page',
    file: 'functions/list-pets/list-pets.ts',
    find: 'if (page.nextBefore === undefined) return ok(page.pets)',
    replaceBy: 'if (page.nextBefore !== null) return ok(page.pets)',
    test: requests,
  },
  {
    title: 'a 405 does not name the methods of its path',
    file: 'functions/unknown-route/index.ts',
    find: "[...route.methods, 'OPTIONS'].join(', ')",
    replaceBy: "'OPTIONS'",
    test: requests,
  },
  {
    title: 'a path with an empty parameter is taken for a pet',
    file: 'functions/unknown-route/find-route.ts',
    find: "return isParameter ? segment !== '' : segment === routeSegment",
    replaceBy: 'return isParameter || segment === routeSegment',
    test: requests,
  },
  {
    title: 'the reserved operation responds with success',
    file: 'functions/list-store-orders/index.ts',
    find: "throw new ServiceError('not_implemented')",
    replaceBy: "throw new ServiceError('route_not_found')",
    test: requestsOverHttp,
  },
  {
    title: 'a key is metered before the edge knows its gateway key',
    file: 'functions/gateway-keys/follow-table.ts',
    find: 'const meteredAfterSeconds = 60 * 60',
    replaceBy: 'const meteredAfterSeconds = 0',
    test: gatewayKeys,
  },
  {
    title: 'a gateway key is deleted while requests are metered on it',
    file: 'functions/gateway-keys/follow-table.ts',
    find: 'if (steps.remove.length > 0) await pause(inFlightMilliseconds)',
    replaceBy: '',
    test: gatewayKeys,
  },
  {
    title: 'the gateway keys of revoked keys fill the account',
    file: 'functions/gateway-keys/decide-steps.ts',
    find: 'remove: gatewayKeys.filter(({ value }) => !namedValues.has(value)),',
    replaceBy: 'remove: [],',
    test: gatewayKeys,
  },
  {
    title: 'a key that was moved by hand to another usage plan stays there',
    file: 'functions/gateway-keys/decide-steps.ts',
    find: 'return gatewayKey?.plan !== record.plan',
    replaceBy: 'return gatewayKey === undefined',
    test: gatewayKeys,
  },
  {
    title: 'one step that fails stops the gateway keys of all other customers',
    file: 'functions/gateway-keys/follow-table.ts',
    find: 'if (failure !== undefined) failedSteps += 1',
    replaceBy: 'if (failure !== undefined) throw failure',
    test: gatewayKeys,
  },
  {
    title: 'staging deletes the gateway keys of production',
    file: 'functions/gateway-keys/api-gateway.ts',
    find: "name?.startsWith(`${namePrefix}key_`) && tags?.['environment'] === environment",
    replaceBy: 'name !== undefined && tags !== undefined',
    test: 'test/unit/functions/gateway-keys/api-gateway.test.ts',
  },
]
