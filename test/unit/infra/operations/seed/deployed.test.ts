import { tmpdir } from 'node:os'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { seededPet } from '../../../../../infra/operations/seed/seeded-pet.ts'
import { PetStore } from '../../../../../shared/pets/pet-store.ts'
import { clientOf, createFreshTables, type TableNames } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'
import { type AwsResponse, awsResult, missingStack, serveAws } from '../aws.ts'

const [dynalite] = inject('engines')
const engine = { name: 'dynalite', endpoint: dynalite?.endpoint ?? '' }

let tables: TableNames
let cloudFormation: string

const outputsOf = (stack: string): Readonly<Record<string, string>> | undefined => {
  const usagePlans = ['Free', 'Pro', 'Business', 'Enterprise'].map((plan) => [`${plan}UsagePlanId`, plan])
  const stacks: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'pet-adoption-staging-data': {
      PetsTableName: tables.pets,
      ApiKeysTableName: tables.apiKeys,
      IdempotencyTableName: tables.idempotency,
      AuditLogGroupName: 'audit',
    },
    'pet-adoption-staging-api': {
      BaseUrl: 'https://api.example.org/v1',
      AccessLogGroupName: 'access',
      ...Object.fromEntries(usagePlans),
    },
  }
  return stacks[stack]
}

/** CloudFormation of an account that has the stacks of staging in one Region, and none of production. */
const respond = (stack: string, region: string): AwsResponse => {
  const outputs = region === 'eu-west-1' ? outputsOf(stack) : undefined
  if (outputs === undefined) return missingStack(stack)
  const members = Object.entries(outputs).map(
    ([name, value]) => `<member><OutputKey>${name}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  )
  const described = `<member><StackName>${stack}</StackName><Outputs>${members.join('')}</Outputs></member>`
  return awsResult('DescribeStacks', `<Stacks>${described}</Stacks>`)
}

beforeAll(async () => {
  tables = await createFreshTables(engine)
  cloudFormation = await serveAws((body, { authorization = '' }) => {
    // The scope of the signature.
    const [, region = ''] = /Credential=[^/]+\/\d+\/([\w-]+)\//.exec(authorization) ?? []
    return respond(new URLSearchParams(body).get('StackName') ?? '', region)
  })
})

const seed = async (words: readonly string[], region = 'eu-west-1') => {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: tmpdir(),
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
  }
  const { ended, output, errors } = startNode(['infra/operations/seed/seed.ts', ...words], { environment })
  return { code: await ended, output: output(), errors: errors() }
}

describe('npm run seed, of an environment on AWS', () => {
  it('finds the pets table by the outputs of the stacks', async () => {
    const { code, output, errors } = await seed(['--env', 'staging', '--count', '60', '--rate', '10000'])
    expect({ code, errors }).toMatchObject({ code: 0 })
    expect(output).toBe('The environment staging has 60 made-up pets: 60 pets were written, 0 were there.\n')
    const { client } = clientOf(engine)
    expect(await new PetStore(client, tables.pets).find(seededPet(59).id)).toEqual(seededPet(59))
  })

  it('says how many there are where that is more, and removes them', async () => {
    const staging = ['--env', 'staging', '--rate', '10000']
    expect((await seed([...staging, '--count', '20'])).output).toBe(
      'The environment staging has 60 made-up pets: 0 pets were written, 60 were there. That is more than 20; --remove removes them all.\n',
    )
    expect((await seed([...staging, '--remove'])).output).toBe(
      'The environment staging has 0 made-up pets: 60 pets were removed.\n',
    )
  })

  it('says that an environment is not deployed, and exits with 1', async () => {
    const { code, output, errors } = await seed(['--env', 'production', '--confirm', 'production', '--count', '5'])
    expect(errors).toMatch(
      /^The stack pet-adoption-production-(data|api) is not deployed in eu-west-1 of this account\. No other Region of this account has it: set AWS_PROFILE/,
    )
    expect(output).toBe('')
    expect(code).toBe(1)
  })

  it('says in which Region the environment is, and invites nobody to deploy a second one', async () => {
    const { code, output, errors } = await seed(['--env', 'staging', '--count', '5'], 'eu-west-2')
    expect(errors).toBe(
      'The stack pet-adoption-staging-data is not deployed in eu-west-2 of this account. It is in eu-west-1: set AWS_REGION to that, or staging.region in infra/settings.json.\n',
    )
    expect({ code, output }).toEqual({ code: 1, output: '' })
  })
})
