import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { samTemplate } from '../../../../../infra/local/sam/sam-template.ts'
import { namesIn, readEnvironmentTemplate } from '../../../../../infra/local/template/environment-template.ts'
import { sharedAssembly } from '../../../../fixtures/assembly.ts'

interface Template {
  readonly Resources: Readonly<Record<string, Resource>>
}

interface Resource {
  readonly Type: string
  readonly Properties: {
    readonly Description?: string
    readonly Architectures?: readonly string[]
    readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> }
  }
}

const tables = namesIn(readEnvironmentTemplate(sharedAssembly, 'staging')).tables

const databaseEndpoint = 'http://172.18.0.1:8000'
const sam: Template = JSON.parse(samTemplate(sharedAssembly, databaseEndpoint, 'x64'))
const stage = join(sharedAssembly, 'assembly-staging')
const [file = ''] = readdirSync(stage).filter((name) => /api.*\.template\.json$/.test(name))
const deployedText = readFileSync(join(stage, file), 'utf8')
const deployed: Template = JSON.parse(deployedText)

const functionsOf = ({ Resources }: Template) =>
  Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function')

/** The operation that the function's description names. */
const operationOf = ({ Properties }: Resource): string => Properties.Description?.split(': ')[1] ?? ''

const withoutChanges = (template: Template): object => ({
  ...template,
  Resources: Object.fromEntries(
    Object.entries(template.Resources).map(([id, resource]) => {
      const { Architectures, Environment, ...properties } = resource.Properties ?? {}
      return [id, resource.Type === 'AWS::Lambda::Function' ? { ...resource, Properties: properties } : resource]
    }),
  ),
})

describe('the template for the SAM CLI', () => {
  test('is the deployed one but for the ids, the environment and the architecture of the functions', () => {
    const renamed = functionsOf(deployed).reduce(
      (text, [id, lambda]) => text.replaceAll(`"${id}"`, `"${operationOf(lambda)}"`),
      deployedText,
    )
    expect(withoutChanges(sam)).toEqual(withoutChanges(JSON.parse(renamed)))
    expect(functionsOf(sam)).toHaveLength(functionsOf(deployed).length)
    for (const [id, lambda] of functionsOf(sam)) expect(id).toBe(operationOf(lambda))
  })

  test.each(functionsOf(deployed).map(([, lambda]) => ({ lambda, operation: operationOf(lambda) })))(
    'gives $operation the tables and the database of this machine, and leaves its other variables',
    ({ lambda, operation }) => {
      const imported = {
        PETS_TABLE: tables.pets,
        API_KEYS_TABLE: tables.apiKeys,
        IDEMPOTENCY_TABLE: tables.idempotency,
      }
      const expected = Object.entries(lambda.Properties.Environment?.Variables ?? {}).map(([name, value]) => [
        name,
        // The ids of usage plans have no value before a deployment.
        typeof value === 'string' ? value : (imported[name as keyof typeof imported] ?? expect.any(String)),
      ])
      expect(sam.Resources[operation]?.Properties.Environment?.Variables).toEqual({
        ...Object.fromEntries(expected),
        AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
      })
    },
  )

  test.each([
    ['x64', 'x86_64'],
    ['arm64', 'arm64'],
  ] as const)('gives the functions the architecture of a machine with %s', (architecture, name) => {
    const template: Template = JSON.parse(samTemplate(sharedAssembly, databaseEndpoint, architecture))
    expect(functionsOf(template).map(([, { Properties }]) => Properties.Architectures)).toEqual(
      functionsOf(deployed).map(() => [name]),
    )
  })
})
