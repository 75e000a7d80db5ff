import { authorizerEvent, gatewayEvent, withQuery } from '../events/events.ts'

/** A request that is measured: the function that handles it and the floor that makes the same calls. */
export interface Candidate {
  readonly request: string
  /** The folder of `functions/`, and the module of `test/bench/floors/`. */
  readonly name: string
  readonly event: object
  /** The status of every response; any success where it is left out. */
  readonly status?: number
}

const list = withQuery(gatewayEvent('list-pets'), '')

/** The usual requests. A list shows 20 pets. */
export const candidates: readonly Candidate[] = [
  { request: 'authorizer', name: 'authorizer', event: authorizerEvent() },
  { request: 'get', name: 'get-pet', event: gatewayEvent('get-pet') },
  { request: 'create', name: 'create-pet', event: gatewayEvent('create-pet') },
  { request: 'list, one status', name: 'list-pets', event: withQuery(list, 'status=available') },
  { request: 'list, all', name: 'list-pets', event: list },
]
