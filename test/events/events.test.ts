import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { faultOf } from '../../shared/http/authorizer-context.ts'
import { gatewayEvent, gatewayEventNames } from './events.ts'

const { operations } = readContract()

it.each(operations)('an event is recorded for $name, so that it can be invoked', ({ name }) => {
  expect(gatewayEventNames, `Add test/events/${name}.json.`).toContain(name)
})

it.each(gatewayEventNames)('the recorded event %s is of a route, and has a context that functions read', (name) => {
  const { httpMethod, resource, requestContext } = gatewayEvent(name)
  const routes = [...operations.map(({ method, path }) => `${method} ${path}`), 'GET /{proxy+}']
  expect([routes.includes(`${httpMethod} ${resource}`), faultOf(requestContext.authorizer)]).toEqual([true, undefined])
})
