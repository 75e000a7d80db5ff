import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { faultOf } from '../../shared/http/authorizer-context.ts'
import { gatewayEvent } from './events.ts'

it.each(readContract().operations)('an event is recorded for $name, which its function can read', (operation) => {
  const { httpMethod, resource, requestContext } = gatewayEvent(operation.name)
  expect([httpMethod, resource]).toEqual([operation.method, operation.path])
  expect(faultOf(requestContext.authorizer)).toBeUndefined()
})
