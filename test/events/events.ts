import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { APIGatewayRequestAuthorizerEvent, Context } from 'aws-lambda'
import type { GatewayEvent } from '../../shared/http/gateway-event.ts'

/** The recorded events of API Gateway: one for each operation, some for variants, and one for what names no operation. */
export const gatewayEventNames = readdirSync(new URL('./', import.meta.url))
  .filter((file) => file.endsWith('.json') && file !== 'authorizer.json')
  .map((file) => basename(file, '.json'))

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'))

// The files hold what API Gateway sends.
export const gatewayEvent = (name: string, change: Partial<GatewayEvent> = {}): GatewayEvent => ({
  ...(read(name) as GatewayEvent),
  ...change,
})

export const authorizerEvent = (): APIGatewayRequestAuthorizerEvent =>
  read('authorizer') as APIGatewayRequestAuthorizerEvent

/** The key that the recorded requests carry; it was made for them. */
export const recordedApiKey = 'pet_test_RecordedEventFixture0000000000ab0Aoqfn'

/** The event with another query, as API Gateway splits it. */
export const withQuery = (event: GatewayEvent, query: string): GatewayEvent => {
  const given = new URLSearchParams(query)
  const names = [...new Set(given.keys())]
  return {
    ...event,
    queryStringParameters: Object.fromEntries(names.map((name) => [name, given.getAll(name).at(-1)])),
    multiValueQueryStringParameters: Object.fromEntries(names.map((name) => [name, given.getAll(name)])),
  }
}

/** The event with one header more, or with another value of it; without it where there is none. */
export const withHeader = (event: GatewayEvent, name: string, ...values: readonly string[]): GatewayEvent => {
  const without = <Values>(headers: Readonly<Record<string, Values>>): Record<string, Values> =>
    Object.fromEntries(Object.entries(headers).filter(([other]) => other.toLowerCase() !== name.toLowerCase()))
  const last = values.at(-1)
  return {
    ...event,
    headers: { ...without(event.headers), ...(last === undefined ? {} : { [name]: last }) },
    multiValueHeaders: {
      ...without(event.multiValueHeaders),
      ...(last === undefined ? {} : { [name]: [...values] }),
    },
  }
}

/** What Lambda hands to a handler beside the event. */
export const lambdaContext: Context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'pet-adoption-test',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:pet-adoption-test',
  memoryLimitInMB: '1024',
  awsRequestId: '8f5a2b1c-3d4e-4f60-8192-a3b4c5d6e7f8',
  logGroupName: '/aws/lambda/pet-adoption-test',
  logStreamName: '2026/11/02/[$LATEST]0123456789abcdef0123456789abcdef',
  getRemainingTimeInMillis: () => 10_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
}
