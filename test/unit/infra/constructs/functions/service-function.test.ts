import { expect, it } from 'vitest'
import { tableAccess } from '../../../../../infra/constructs/functions/table-access.ts'
import {
  everyOption,
  findProperties,
  findResources,
  synthesizeTemplates,
} from '../../../../fixtures/environment/templates.ts'

/** The functions by the names of their folders: the compiler requires all of them in table-access.ts. */
const functionNames = Object.keys(tableAccess)

const { api } = synthesizeTemplates('production')
const apiWithEveryOption = synthesizeTemplates('production', everyOption).api

/** Lists the services of AWS that a function may call. */
const listAllowedServices = (functionName: string): readonly string[] => {
  const policies = Object.entries(findResources(api, 'AWS::IAM::Policy'))
  const ownPolicies = policies.filter(([id]) => id.startsWith(`${functionName.replaceAll('-', '')}Role`))
  const statements: { Action: string | string[] }[] = ownPolicies.flatMap(
    ([, { Properties }]) => Properties.PolicyDocument.Statement,
  )
  const services = statements.flatMap(({ Action }) => [Action].flat()).map((action) => action.replace(/:.*/, ''))
  return [...new Set(services)].toSorted()
}

it.each(functionNames)('the function %s may call no service beyond those of its work', (name) => {
  const services = name === 'gateway-keys' ? ['apigateway', 'dynamodb', 'logs'] : ['dynamodb', 'logs']

  expect(services).toEqual(expect.arrayContaining([...listAllowedServices(name)]))
  expect(listAllowedServices(name)).toContain('logs')
})

// The authorizer runs for the requests of all operations, so the number for one operation would be too small.
it('reservedConcurrency gives each operation instances of its own, gateway-keys one, and the authorizer none', () => {
  const functions = findProperties(apiWithEveryOption, 'AWS::Lambda::Function')

  const reserved = functions.map(({ Description, ReservedConcurrentExecutions }) => [
    Description.replace('Pet Adoption API: ', ''),
    ReservedConcurrentExecutions,
  ])
  const operations = functionNames.map((name) => [name, everyOption.reservedConcurrency])
  expect(Object.fromEntries(reserved)).toEqual({
    ...Object.fromEntries(operations),
    authorizer: undefined,
    'gateway-keys': 1,
  })
})

// A new account may run ten instances, and can reserve none. With a reservation its first deployment would fail.
it('the functions have no reserved concurrency by default', () => {
  expect(JSON.stringify(api.toJSON())).not.toContain('ReservedConcurrentExecutions')
})

// findings.test.ts shows that `tracing: true` turns traces on.
it('the functions and the stage write no traces by default, because traces have a price', () => {
  expect(JSON.stringify(api.toJSON())).not.toMatch(/"Active"|TracingEnabled":true/)
})

it('earlier versions of each function stay, but no version whose creation is rolled back', () => {
  const versions = Object.values(findResources(api, 'AWS::Lambda::Version'))

  expect(versions).toHaveLength(functionNames.length)
  for (const version of versions) {
    expect(version).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' })
  }
})
