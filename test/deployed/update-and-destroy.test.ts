import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import { deploy, destroy, synthesize } from './emulator/cdk.ts'
import { emulator, isDeployed, outputOf, type Reached, reach, runKeys } from './environments.ts'

/** Whether a key is banned soon after its first requests over its limit. */
const isBannedSoon = async ({ administration, statusOf }: Reached): Promise<boolean> => {
  const allowance = { perMinute: 2, perDay: 2 }
  const { apiKey, record } = await administration.issue({ owner: 'x', plan: 'free', allowance })
  for (let count = 0; count < 5; count += 1) await statusOf(apiKey)
  return (await administration.show(record.keyId)).bannedUntil > 0
}

describe.skipIf(!isDeployed)('an environment', () => {
  it('takes a changed version, and becomes small, without alarms and firewall: it keeps its pets and keys', async () => {
    const added = await Promise.all(
      environmentNames.map(async (name) => {
        await using before = await reach(name)
        return [name, await before.addPet()] as const
      }),
    )
    await using before = await reach('staging')
    expect(await isBannedSoon(before)).toBe(false)
    await deploy(await synthesize(emulator().folder, '--changed'), 'staging/*', 'production/*')
    for (const [name, { apiKey, path }] of added) {
      await using changed = await reach(name)
      expect((await changed.request(apiKey, path)).status).toBe(200)
    }
    await using changed = await reach('staging')
    expect(await isBannedSoon(changed)).toBe(true)
  })

  it('is taken down without another', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const [gone, kept] = [await staging.addPet(), await production.addPet()]

    await destroy(await synthesize(emulator().folder), 'staging/*')

    expect((await production.request(kept.apiKey, kept.path)).status).toBe(200)
    expect((await production.administration.show(kept.keyId)).state).toBe('active')
    expect(await staging.statusOf(gone.apiKey)).not.toBe(200)
    await expect(outputOf('pet-adoption-staging-reference', 'ReferenceUrl')).rejects.toThrow(/does not exist/)
    const { exitCode, errors } = await runKeys(['list', '--env', 'staging'])
    expect([exitCode, errors]).toEqual([
      1,
      expect.stringMatching(/^The stack pet-adoption-staging-data is not deployed in us-east-1/),
    ])
  })
})
