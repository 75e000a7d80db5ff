import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { findInvalidValue } from '../../shared/http/authorizer-context.ts'
import { readGatewayEvent } from './events.ts'

it.each(readContract().operations)('the recorded event of $name belongs to the operation', (operation) => {
  const { httpMethod, resource } = readGatewayEvent(operation.name)

  expect(httpMethod).toBe(operation.method)
  expect(resource).toBe(operation.path)
})

it.each(readContract().operations)('the recorded event of $name has a valid authorizer context', (operation) => {
  const { requestContext } = readGatewayEvent(operation.name)

  expect(findInvalidValue(requestContext.authorizer)).toBeUndefined()
})
