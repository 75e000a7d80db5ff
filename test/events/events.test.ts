import { expect, it } from 'vitest'
import { readContract } from '../../infra/contract/contract.ts'
import { readGatewayEvent } from './events.ts'

it.each(readContract().operations)('the recorded event of $name belongs to the operation', (operation) => {
  const { httpMethod, resource } = readGatewayEvent(operation.name)

  expect(httpMethod).toBe(operation.method)
  expect(resource).toBe(operation.path)
})
