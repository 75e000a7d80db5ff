import {
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetUsagePlanKeyCommand,
  NotFoundException,
} from '@aws-sdk/client-api-gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countGatewayKeys, findGatewayKeys } from '../../infra/operations/keys/deployed/gateway-keys.ts'
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { fixedPlans, type Plan, planNames } from '../../shared/api-keys/plans.ts'
import { isDeployed, keysJson, type Reached, reach, runKeys } from './environments.ts'

const env = ['--env', 'staging']

describe.skipIf(!isDeployed)('npm run keys on AWS', () => {
  let staging: Reached
  beforeAll(async () => {
    staging = await reach('staging')
  })
  afterAll(() => staging[Symbol.asyncDispose]())

  const statusOf = async (apiKey: unknown): Promise<number> =>
    (await fetch(`${staging.baseUrl}/pets?limit=1`, { headers: { Authorization: `Bearer ${apiKey}` } })).status

  /** The usage plans that API Gateway has the key in. */
  const plansOf = async (keyId: string): Promise<Plan[]> => {
    const [gatewayKeyId = ''] = await findGatewayKeys(staging.gateway, keyId)
    const isIn = async (plan: Plan) => {
      try {
        const usagePlanId = staging.environment.usagePlanIds[plan]
        await staging.gateway.send(new GetUsagePlanKeyCommand({ usagePlanId, keyId: gatewayKeyId }))
        return true
      } catch (error) {
        if (error instanceof NotFoundException) return false
        throw error
      }
    }
    const found = await Promise.all(planNames.map(isIn))
    return planNames.filter((_plan, index) => found[index])
  }

  it('leads a key through its life, at both sides', async () => {
    const issued = await keysJson(
      'issue',
      ...env,
      '--plan',
      'free',
      '--owner',
      'City shelter',
      '--url',
      staging.baseUrl,
    )
    const keyId = String(issued['keyId'])
    expect(issued['apiKey']).toMatch(/^pet_test_[0-9A-Za-z]{38}$/)
    expect(await statusOf(issued['apiKey'])).toBe(200)
    expect(await plansOf(keyId)).toEqual(['free'])

    expect(await keysJson('move', keyId, ...env, '--plan', 'pro')).toMatchObject({ plan: 'pro', perMinute: 300 })
    expect(await plansOf(keyId)).toEqual(['pro'])
    expect(await keysJson('show', keyId, ...env)).toMatchObject({ keyId, plan: 'pro', usedToday: 2 })

    const successor = await keysJson('rotate', keyId, ...env, '--url', staging.baseUrl)
    expect(successor).toMatchObject({ plan: 'pro', owner: 'City shelter' })
    expect([await statusOf(issued['apiKey']), await statusOf(successor['apiKey'])]).toEqual([200, 200])

    expect(await keysJson('revoke', keyId, ...env)).toMatchObject({ state: 'revoked' })
    expect(await findGatewayKeys(staging.gateway, keyId)).toEqual([])
    expect([await statusOf(issued['apiKey']), await statusOf(successor['apiKey'])]).toEqual([401, 200])
    expect(await keysJson('revoke', keyId, ...env)).toMatchObject({ state: 'revoked' })
    const listed = await keysJson('list', ...env)
    expect(listed['keys']).toEqual(expect.arrayContaining([expect.objectContaining({ keyId, state: 'revoked' })]))
  })

  it('prints a key at once, and says why it still waits', async () => {
    const refused = 'http://127.0.0.1:9/v1'
    const words = ['issue', ...env, '--plan', 'free', '--owner', 'x', '--json']
    const { exitCode, output, errors } = await runKeys([...words, '--url', refused, '--wait-seconds', '2'])
    expect(exitCode).toBe(2)
    const { keyId, apiKey } = JSON.parse(output)
    expect(errors).toContain(`Waiting until the key works at ${refused}`)
    expect(errors).toContain(`"revoke ${keyId}" takes it back`)
    expect(errors).not.toContain(apiKey)
    expect(await statusOf(apiKey)).toBe(200)
  })

  it('finds what is left of a key that was not revoked to its end, and repairs it', async () => {
    // What other tests of this environment left, such as the expired predecessors of rotated keys.
    await runKeys(['check', ...env, '--repair'])
    const { record } = await staging.administration.issue({ owner: 'x', plan: 'free', allowance: fixedPlans.free })
    const { keyId } = record
    const [gatewayKeyId = ''] = await findGatewayKeys(staging.gateway, keyId)
    const stored = await staging.table.find(keyId)
    const keyHash = stored?.keyHash ?? hashApiKey('')
    await staging.table.change(keyHash, { state: 'revoked' })
    const check = ['check', ...env, '--json']
    const finding = { keyId, problem: 'gateway_key_of_revoked_key', repaired: false, failure: null }
    const found = await runKeys(check)
    expect({ exitCode: found.exitCode, ...JSON.parse(found.output) }).toMatchObject({
      exitCode: 1,
      findings: [finding],
    })
    expect(await findGatewayKeys(staging.gateway, keyId)).toEqual([gatewayKeyId])
    expect(await keysJson('check', ...env, '--repair')).toMatchObject({ findings: [{ ...finding, repaired: true }] })
    expect(await findGatewayKeys(staging.gateway, keyId)).toEqual([])
    const { exitCode, output } = await runKeys(['check', ...env])
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('no other key is') })
  })

  it('touches no API Gateway key of another API or environment', async () => {
    const value = hashApiKey('of somebody else')
    const create = async (name: string, other: string) =>
      staging.gateway.send(new CreateApiKeyCommand({ name, value: other, description: 'pet-adoption-production' }))
    const created = await Promise.all([create('key_0another', value), create('partner', `${value.slice(1)}0`)])
    // In a usage plan of this environment, but with a name that no key of it has.
    const usagePlanId = staging.environment.usagePlanIds.free
    const keyId = created[1].id
    await staging.gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: 'API_KEY' }))
    expect(await keysJson('check', ...env, '--repair')).toMatchObject({ findings: [] })
    expect(await findGatewayKeys(staging.gateway, 'key_0another')).toHaveLength(1)
    expect(await findGatewayKeys(staging.gateway, 'partner')).toHaveLength(1)
    for (const { id } of created) await staging.gateway.send(new DeleteApiKeyCommand({ apiKey: id }))
  })

  it('finds a key among more than a page of keys', { timeout: 120_000 }, async () => {
    const issue = () =>
      staging.administration.issue({ owner: 'many', plan: 'free', allowance: { perMinute: 60, perDay: 1_000 } })
    const issued = []
    while (issued.length < 510) issued.push(...(await Promise.all(Array.from({ length: 30 }, issue))))
    expect(await countGatewayKeys(staging.gateway)).toBeGreaterThan(510)
    const { keyId } = issued.at(-1)?.record ?? { keyId: '' }
    expect(await plansOf(keyId)).toEqual(['free'])
    expect(await keysJson('revoke', keyId, ...env)).toMatchObject({ state: 'revoked' })
    expect(await findGatewayKeys(staging.gateway, keyId)).toEqual([])
  })

  it.each([
    ['an unknown key id', ['show', 'key_0nobody', ...env], {}, 'No API key has the id key_0nobody.'],
    [
      'a Region with nothing in it',
      ['list', ...env],
      { AWS_REGION: 'eu-west-1' },
      'pet-adoption-staging-data is not deployed in eu-west-1',
    ],
    ['no Region', ['list', ...env], { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined }, 'Set AWS_REGION'],
    [
      'no credentials',
      ['list', ...env],
      { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
      'No AWS credentials were found.',
    ],
    [
      'a profile that there is not',
      ['list', ...env],
      { AWS_ACCESS_KEY_ID: undefined, AWS_PROFILE: 'nobody' },
      'No AWS credentials were found.',
    ],
    ['an unreachable endpoint', ['list', ...env], { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, 'AWS is unreachable'],
    [
      'a plan that does not exist',
      ['issue', ...env, '--plan', 'gold', '--owner', 'x'],
      {},
      'It must be free, pro, business or enterprise.',
    ],
  ])(
    'answers %s with a first line that says why, without a stack trace, and exit code 1',
    async (_what, words, variables, sentence) => {
      const before = await countGatewayKeys(staging.gateway)
      const { exitCode, output, errors } = await runKeys(words, variables)
      expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' })
      expect(errors.split('\n')[0]).toContain(sentence)
      expect(errors).not.toMatch(/^ {4}at /m)
      expect(await countGatewayKeys(staging.gateway)).toBe(before)
    },
  )
})
