import { describe, expect, it } from 'vitest'
import { deploy, destroy, synthesize } from './emulator/cdk.ts'
import { isDeployed, keysJson, outputOf, type Reached, reach } from './environments.ts'

/** Whether a key is banned soon after its first requests over its limit. */
const isBannedSoon = async ({ administration, statusOf }: Reached): Promise<boolean> => {
  const allowance = { perMinute: 2, perDay: 2 }
  const { apiKey, record } = await administration.issue({ owner: 'x', plan: 'free', allowance })
  for (let count = 0; count < 5; count += 1) await statusOf(apiKey)
  return (await administration.show(record.keyId)).bannedUntil > 0
}

describe.skipIf(!isDeployed)('an environment', () => {
  it('takes a changed version, and becomes small, without alarms and firewall: it keeps its pets and keys', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const added = await Promise.all([staging, production].map(async (one) => [one, await one.addPet()] as const))
    expect(await isBannedSoon(staging)).toBe(false)
    await deploy(await synthesize('--changed'), 'staging/*', 'production/*')
    for (const [{ request }, { apiKey, path }] of added) expect((await request(apiKey, path)).status).toBe(200)
    expect(await isBannedSoon(staging)).toBe(true)
  })

  it('is taken down without another', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const [gone, kept] = [await staging.addPet(), await production.addPet()]

    await destroy(await synthesize(), 'staging/*')

    expect((await production.request(kept.apiKey, kept.path)).status).toBe(200)
    expect((await production.administration.show(kept.keyId)).state).toBe('active')
    expect(await staging.statusOf(gone.apiKey)).not.toBe(200)
    await expect(outputOf('pet-adoption-staging-reference', 'ReferenceUrl')).rejects.toThrow(/does not exist/)
    const sentence = 'The stack pet-adoption-staging-data is not deployed in us-east-1'
    await expect(keysJson('list', '--env', 'staging')).rejects.toThrow(sentence)
  })
})
