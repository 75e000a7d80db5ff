import { describe, expect, it } from 'vitest'
import { deploy, destroy, synthesize } from './emulator/cdk.ts'
import { emulator, isDeployed, keysJson, type Reached, reach, runKeys } from './environments.ts'
import { findReference } from './reference-site.ts'

/** A key with which a pet was added, and where the pet is. */
const addPet = async ({ addPet, environment }: Reached) => {
  const confirmed = environment.name === 'production' ? ['--confirm', 'production'] : []
  const words = ['issue', '--env', environment.name, '--owner', 'x', '--plan', 'free', ...confirmed]
  const { apiKey, keyId } = await keysJson(...words)
  return { key: apiKey, keyId: String(keyId), path: await addPet(apiKey) }
}

const exhaust = async ({ statusOf }: Reached): Promise<string> => {
  const limits = ['--plan', 'enterprise', '--per-minute', '2', '--per-day', '2']
  const issued = await keysJson('issue', '--env', 'staging', '--owner', 'x', ...limits)
  for (let count = 0; count < 5; count += 1) await statusOf(issued['apiKey'])
  return String(issued['keyId'])
}

const bannedUntil = async (keyId: string) => (await keysJson('show', keyId, '--env', 'staging'))['bannedUntil']

describe.skipIf(!isDeployed)('an environment', () => {
  it('takes a changed version, and keeps its pets and keys', async () => {
    await using staging = await reach('staging')
    const { key, path } = await addPet(staging)
    expect(await bannedUntil(await exhaust(staging))).toBeNull()

    await deploy(await synthesize(emulator().folder, '--changed'), ['staging/*'])

    await using changed = await reach('staging')
    expect((await changed.request(key, path)).status).toBe(200)
    expect(await bannedUntil(await exhaust(changed))).not.toBeNull()
  })

  it('becomes small, without alarms and firewall, and keeps its pets and keys', async () => {
    await using production = await reach('production')
    const { key, path } = await addPet(production)

    await deploy(await synthesize(emulator().folder, '--changed'), ['production/*'])

    await using small = await reach('production')
    expect((await small.request(key, path)).status).toBe(200)
  })

  it('is taken down without another', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const { key, keyId, path } = await addPet(production)
    const page = await findReference('production')

    await destroy(await synthesize(emulator().folder), ['staging/*'])

    expect((await production.request(key, path)).status).toBe(200)
    expect((await keysJson('show', keyId, '--env', 'production'))['state']).toBe('active')
    expect((await staging.request(key, '/pets')).status).not.toBe(200)
    expect((await page.get('/openapi.json')).status).toBe(200)
    await expect(findReference('staging')).rejects.toThrow(/does not exist/)
    const { exitCode, errors } = await runKeys(['list', '--env', 'staging'])
    expect(exitCode).toBe(1)
    expect(errors).toMatch(/^The stack pet-adoption-staging-data is not deployed in us-east-1/)
  })
})
