/**
 * Events as API Gateway sends them, and changes to them.
 *
 * @example A request for another page
 *
 *     const event = replaceQuery(readGatewayEvent('list-pets'), 'limit=5')
 *     const { query } = readInput(listPets, event)
 */
import { existsSync, readFileSync } from 'node:fs'
import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import type { GatewayEvent } from '../../shared/http/gateway-event.ts'

/** API key of the recorded requests. It was made for them and never issued. */
export const recordedApiKey = 'pet_test_RecordedEventFixture0000000000ab0Aoqfn'

// The cast leaves out the other properties of Lambda's context, which no handler reads.
export const lambdaContext = {
  awsRequestId: '8f5a2b1c-3d4e-4f60-8192-a3b4c5d6e7f8',
  getRemainingTimeInMillis: () => 10_000,
} as Context

const readEventFile = (name: string): unknown => {
  const file = new URL(`./${name}.json`, import.meta.url)
  if (!existsSync(file)) {
    throw new Error(`Write test/events/${name}.json, the event of a request: copy that of another operation.`)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Reads the recorded event of an operation. `change` replaces whole properties of the event. */
export const readGatewayEvent = (name: string, change: Partial<GatewayEvent> = {}): GatewayEvent => {
  // The files contain events of this type.
  const event = readEventFile(name) as GatewayEvent
  return { ...event, ...change }
}

/** Reads the recorded event of the authorizer. */
export const readAuthorizerEvent = (): APIGatewayRequestAuthorizerEvent =>
  readEventFile('authorizer') as APIGatewayRequestAuthorizerEvent

/** Replaces the query of an event. The single-value map has the last value of each parameter, as from API Gateway. */
export const replaceQuery = (event: GatewayEvent, query: string): GatewayEvent => {
  const parameters = new URLSearchParams(query)
  const names = [...new Set(parameters.keys())]
  return {
    ...event,
    queryStringParameters: Object.fromEntries(names.map((name) => [name, parameters.getAll(name).at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, parameters.getAll(name)])),
  }
}

/** Replaces or adds a header of an event. Removes the header if there are no values. */
export const replaceHeader = (event: GatewayEvent, name: string, ...values: string[]): GatewayEvent => {
  const entries = Object.entries(event.multiValueHeaders)
  const others = entries.filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  const headers = values.length === 0 ? others : [...others, [name, values] as const]
  return {
    ...event,
    headers: Object.fromEntries(headers.map(([header, allValues]) => [header, allValues?.at(-1)])),
    multiValueHeaders: Object.fromEntries(headers),
  }
}
