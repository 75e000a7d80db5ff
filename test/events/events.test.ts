import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { findInvalidValue } from '../../shared/http/authorizer-context.ts'
import { readGatewayEvent } from './events.ts'

it.each(readContract().operations)('an event is recorded for $name, which its function can read', (operation) => {
  const { httpMethod, resource, requestContext } = readGatewayEvent(operation.name)
  expect([httpMethod, resource]).toEqual([operation.method, operation.path])
  expect(findInvalidValue(requestContext.authorizer)).toBeUndefined()
})
