import { describe, expect, it } from 'vitest'
import type { EnvironmentName } from '../../infra/environments.ts'
import { deploy, destroy, synthesize } from './emulator/cdk.ts'
import { emulator, isDeployed, outputOf, type Reached, reach, runKeys } from './environments.ts'

const order = { owner: 'x', plan: 'free', allowance: { perMinute: 60, perDay: 1_000 } } as const

/** A key with which a pet was added, and where the pet is. */
const addPet = async ({ administration, addPet }: Reached) => {
  const { apiKey, record } = await administration.issue(order)
  return { key: apiKey, keyId: record.keyId, path: await addPet(apiKey) }
}

/** Whether a key is banned soon after its first requests over its limit. */
const isBannedSoon = async ({ administration, statusOf }: Reached): Promise<boolean> => {
  const { apiKey, record } = await administration.issue({ ...order, allowance: { perMinute: 2, perDay: 2 } })
  for (let count = 0; count < 5; count += 1) await statusOf(apiKey)
  return (await administration.show(record.keyId)).bannedUntil > 0
}

describe.skipIf(!isDeployed)('an environment', () => {
  it('takes a changed version, and becomes small, without alarms and firewall: it keeps its pets and keys', async () => {
    const names: readonly EnvironmentName[] = ['staging', 'production']
    const added = new Map<EnvironmentName, Awaited<ReturnType<typeof addPet>>>()
    for (const name of names) {
      await using before = await reach(name)
      added.set(name, await addPet(before))
      if (name === 'staging') expect(await isBannedSoon(before)).toBe(false)
    }
    await deploy(await synthesize(emulator().folder, '--changed'), 'staging/*', 'production/*')
    for (const [name, { key, path }] of added) {
      await using changed = await reach(name)
      expect((await changed.request(key, path)).status).toBe(200)
      if (name === 'staging') expect(await isBannedSoon(changed)).toBe(true)
    }
  })

  it('is taken down without another', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const { key, keyId, path } = await addPet(production)

    await destroy(await synthesize(emulator().folder), 'staging/*')

    expect((await production.request(key, path)).status).toBe(200)
    expect((await production.administration.show(keyId)).state).toBe('active')
    expect((await staging.request(key, '/pets')).status).not.toBe(200)
    await expect(outputOf('pet-adoption-staging-reference', 'ReferenceUrl')).rejects.toThrow(/does not exist/)
    const { exitCode, errors } = await runKeys(['list', '--env', 'staging'])
    expect([exitCode, errors]).toEqual([
      1,
      expect.stringMatching(/^The stack pet-adoption-staging-data is not deployed in us-east-1/),
    ])
  })
})
