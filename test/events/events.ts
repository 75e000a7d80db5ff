import { readFileSync } from 'node:fs'
import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import type { GatewayEvent } from '../../shared/http/gateway-event.ts'

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))

/** A recorded event. The files hold what API Gateway sends. */
export const readGatewayEvent = (name: string, change: Partial<GatewayEvent> = {}): GatewayEvent => ({
  ...(read(name) as GatewayEvent),
  ...change,
})

export const readAuthorizerEvent = (): APIGatewayRequestAuthorizerEvent =>
  read('authorizer') as APIGatewayRequestAuthorizerEvent

/** The key that the recorded requests carry; it was made for them. */
export const recordedApiKey = 'pet_test_RecordedEventFixture0000000000ab0Aoqfn'

/** The event with another query, as API Gateway splits it. */
export const replaceQuery = (event: GatewayEvent, query: string): GatewayEvent => {
  const given = new URLSearchParams(query)
  const names = [...new Set(given.keys())]
  return {
    ...event,
    queryStringParameters: Object.fromEntries(names.map((name) => [name, given.getAll(name).at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, given.getAll(name)])),
  }
}

/** The event with one header more, or with another value of it; without it where there is none. */
export const replaceHeader = (event: GatewayEvent, name: string, ...values: string[]): GatewayEvent => {
  const others = Object.entries(event.multiValueHeaders).filter(([other]) => other.toLowerCase() !== name.toLowerCase())
  const headers = values.length === 0 ? others : [...others, [name, values] as const]
  return {
    ...event,
    headers: Object.fromEntries(headers.map(([header, all]) => [header, all?.at(-1)])),
    multiValueHeaders: Object.fromEntries(headers),
  }
}

/** What Lambda hands to a handler beside the event, as far as one reads it. */
export const lambdaContext = {
  awsRequestId: '8f5a2b1c-3d4e-4f60-8192-a3b4c5d6e7f8',
  getRemainingTimeInMillis: () => 10_000,
} as Context
