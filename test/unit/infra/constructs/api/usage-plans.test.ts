import { expect, it } from 'vitest'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { findResources, type Resource, synthesizeTemplates } from '../../../../fixtures/environment/templates.ts'

/** Finds the logical ids of the resources that CloudFormation creates or changes before a resource. */
const findDependencies = (resources: Readonly<Record<string, Resource>>, id: string): ReadonlySet<string> => {
  const dependencies = new Set([id])
  // A set visits the ids that are added while it is iterated.
  for (const dependent of dependencies) {
    const text = JSON.stringify(resources[dependent])
    const named = Object.keys(resources).filter((other) => text.includes(`"${other}"`))
    for (const other of named) dependencies.add(other)
  }
  return dependencies
}

// CloudFormation changes a resource after those that it refers to. It waits until a canary has moved all traffic of an
// alias ("UpdatePolicy attribute", CodeDeployLambdaAliasUpdate). So when it lowers a usage plan, every authorizer
// already meters the keys that exceed it on the unlimited gateway key.
it.each(planNames)('the usage plan %s is deployed after the authorizer', (plan) => {
  const resources = findResources(synthesizeTemplates('production').api)
  const usagePlan = Object.keys(resources).find((id) => id.startsWith(`UsagePlans${plan}`)) ?? ''

  expect([...findDependencies(resources, usagePlan)]).toContainEqual(expect.stringMatching(/^authorizerLive/))
})
