import {
  CreateApiKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeyCommand,
} from '@aws-sdk/client-api-gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayRegistry } from '../../infra/operations/keys/deployed/gateway-registry.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { isDeployed, keysJson, type Reached, reach, runKeys } from './environments.ts'

const env = ['--env', 'staging']

describe.skipIf(!isDeployed)('npm run keys on AWS', () => {
  let staging: Reached
  beforeAll(async () => {
    staging = await reach('staging')
  })
  afterAll(() => staging[Symbol.asyncDispose]())

  it('issues, shows, moves, rotates, lists and revokes a key, in its table and in API Gateway', async () => {
    const start = performance.now()
    const who = ['--owner', 'City shelter & Co', '--contact', 'a@b.org']
    const issued = await keysJson('issue', ...env, '--plan', 'free', ...who)
    console.log(`keys issue took ${Math.round(performance.now() - start)} ms`)
    expect(await staging.statusOf(issued['apiKey'])).toBe(200)
    const keyId = String(issued['keyId'])
    expect(issued['apiKey']).toMatch(/^pet_test_[0-9A-Za-z]{38}$/)
    const [made] = await staging.gatewayKeysOf(keyId)
    expect(made).toMatchObject({ keyId, plans: ['free'] })
    expect(await staging.gateway.send(new GetApiKeyCommand({ apiKey: made?.id }))).toMatchObject({
      name: `pet-adoption-staging-${keyId}`,
      tags: { environment: 'staging', keyId, owner: 'City_shelter___Co' },
    })

    expect(await keysJson('move', keyId, ...env, '--plan', 'pro')).toMatchObject({ plan: 'pro', ...fixedPlans.pro })
    expect(await staging.gatewayKeysOf(keyId)).toMatchObject([
      { plans: ['pro'], value: expect.not.stringMatching(made?.value ?? '') },
    ])
    expect(await keysJson('show', keyId, ...env)).toMatchObject({ keyId, plan: 'pro', usedToday: 1 })

    const successor = await keysJson('rotate', keyId, ...env)
    expect(successor).toMatchObject({ plan: 'pro', owner: 'City shelter & Co', predecessor: keyId })
    expect([await staging.statusOf(issued['apiKey']), await staging.statusOf(successor['apiKey'])]).toEqual([200, 200])

    expect(await keysJson('revoke', keyId, ...env)).toMatchObject({ state: 'revoked' })
    expect(await staging.gatewayKeysOf(keyId)).toEqual([])
    expect([await staging.statusOf(issued['apiKey']), await staging.statusOf(successor['apiKey'])]).toEqual([401, 200])
    const listed = await keysJson('list', ...env, '--state', 'revoked')
    expect(listed['keys']).toEqual(expect.arrayContaining([expect.objectContaining({ keyId, state: 'revoked' })]))
  })

  it('repairs a key that API Gateway does not have, or has in no usage plan', async () => {
    await runKeys(['check', ...env, '--repair'])
    const { record } = await staging.administration.issue({ owner: 'x', plan: 'free', allowance: fixedPlans.free })
    const { keyId } = record
    const usagePlanId = staging.environment.usagePlanIds.free
    const [made] = await staging.gatewayKeysOf(keyId)
    await staging.gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId: made?.id }))
    const finding = { keyId, problem: 'wrong_usage_plan', repaired: false, failure: null }
    const found = await runKeys(['check', ...env, '--json'])
    expect({ exitCode: found.exitCode, ...JSON.parse(found.output) }).toMatchObject({
      exitCode: 1,
      findings: [finding],
    })
    expect(await keysJson('check', ...env, '--repair')).toMatchObject({ findings: [{ ...finding, repaired: true }] })
    const [repaired] = await staging.gatewayKeysOf(keyId)
    expect(repaired).toMatchObject({ plans: ['free'] })
    await staging.gateway.send(new DeleteApiKeyCommand({ apiKey: repaired?.id }))
    expect(await keysJson('check', ...env, '--repair')).toMatchObject({ findings: [{ problem: 'no_gateway_key' }] })
    expect(await staging.gatewayKeysOf(keyId)).toMatchObject([{ plans: ['free'] }])
    // Keys of other tests may have expired meanwhile.
    expect((await runKeys(['check', ...env])).output).not.toContain(keyId)
  })

  it('touches no API Gateway key of another API or environment', async () => {
    const names = ['key_0another', 'pet-adoption-production-key_0another', 'partner']
    const created = await Promise.all(
      names.map((name) =>
        staging.gateway.send(
          new CreateApiKeyCommand({ name, value: `of somebody else ${name}`.replaceAll(/\W|_/g, '0') }),
        ),
      ),
    )
    const { output } = await runKeys(['check', ...env, '--repair'])
    expect(output).not.toContain('API Gateway has a key')
    expect(
      await Promise.all(created.map(({ id }) => staging.gateway.send(new GetApiKeyCommand({ apiKey: id })))),
    ).toHaveLength(3)
    for (const { id } of created) await staging.gateway.send(new DeleteApiKeyCommand({ apiKey: id }))
  })

  it('finds a key among more than a page of keys, and revokes all', async () => {
    const issue = () => staging.administration.issue({ owner: 'many', plan: 'free', allowance: fixedPlans.free })
    const issued = []
    while (issued.length < 510) issued.push(...(await Promise.all(Array.from({ length: 30 }, issue))))
    const { keyId } = issued.at(-1)?.record ?? { keyId: '' }
    expect(await staging.gatewayKeysOf(keyId)).toMatchObject([{ plans: ['free'] }])
    expect(await keysJson('revoke', '--all', ...env)).toMatchObject({ revoked: expect.any(Number) })
    expect((await staging.administration.list()).filter(({ state }) => state === 'active')).toEqual([])
    expect(await new GatewayRegistry(staging.gateway, staging.environment).list()).toEqual([])
  })

  it.each([
    ['no Region', { AWS_REGION: undefined, AWS_DEFAULT_REGION: undefined }, 'Set AWS_REGION'],
    ['an unreachable endpoint', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, 'AWS is unreachable'],
  ])('ends with a first line that says why, without a stack trace, for %s', async (_what, variables, sentence) => {
    const { exitCode, output, errors } = await runKeys(['list', ...env], variables)
    expect({ exitCode, output }).toEqual({ exitCode: 1, output: '' })
    expect(errors.split('\n')[0]).toContain(sentence)
    expect(errors).not.toMatch(/^ {4}at /m)
  })
})
