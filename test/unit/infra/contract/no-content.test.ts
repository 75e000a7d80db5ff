/** An operation that responds 204, from its contract to the response of the local gateway. */
import { expect, onTestFinished, test } from 'vitest'
import type { ContractOperation } from '../../../../infra/contract/contract.ts'
import { openGateway } from '../../../../infra/local/gateway/server.ts'
import type { FunctionInvoker } from '../../../../infra/local/lambda/function-host.ts'
import { createOperationHandler } from '../../../../shared/http/operation.ts'
import type { OperationSuccess } from '../../../../shared/http/operation-contract.ts'
import { noContent } from '../../../../shared/http/response/response.ts'
import { lambdaContext, readGatewayEvent } from '../../../events/events.ts'
import { loadChangedContract, removeExampleEdit } from '../../../fixtures/changed-contract.ts'
import { importOperation } from '../../../fixtures/generated-operation.ts'

/** Loads the contract with an operation that responds 204. */
const loadRemoveExample = async (): Promise<ContractOperation> => {
  const { operations } = await loadChangedContract(removeExampleEdit)
  const operation = operations.find(({ operationId }) => operationId === 'removeExample')
  if (operation === undefined) throw new Error('The contract lacks removeExample.')
  return operation
}

/** Creates the function of the operation, and an authorizer that allows every request. */
const createFunctions = async (): Promise<FunctionInvoker> => {
  const contract = await importOperation(await loadRemoveExample())
  const handler = createOperationHandler(
    contract,
    // No operation of the generated types responds 204, so the compiler does not expect it.
    async () => noContent() as unknown as OperationSuccess<typeof contract.operationId>,
  )
  const allowed = {
    principalId: 'a test',
    policyDocument: { Statement: [{ Effect: 'Allow', Resource: '*' }] },
    context: readGatewayEvent('get-pet').requestContext.authorizer,
  }
  return {
    invoke: async (name, event) => {
      const result = name === 'authorizer' ? allowed : await handler(JSON.parse(event), lambdaContext)
      return { kind: 'result', payload: JSON.stringify(result) }
    },
    report: console.error,
  }
}

test('the local gateway responds 204 without a body and without a Content-Type', async () => {
  const gateway = await openGateway(0, console.error)
  onTestFinished(gateway.close)
  const method = { httpMethod: 'DELETE', path: '/examples/{petId}', integration: 'remove-example' }
  const methods = [{ ...method, authorizer: 'authorizer', apiKeyRequired: false }]
  const api = { id: 'api', stageName: 'v1', methods, gatewayResponses: new Map() }
  gateway.serve({ api, functions: await createFunctions() })

  const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/examples/5`, { method: 'DELETE' })

  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
  expect(response.headers.get('Content-Type')).toBeNull()
  expect(response.headers.get('X-RateLimit-Remaining')).toBe('41')
})
