import { describe, expect, it } from 'vitest'
import { deploy, destroy } from './cdk.ts'
import { isDeployed, keysJson, type Reached, reach, runKeys, target } from './environments.ts'
import { findReference } from './reference-site.ts'

const ask = (baseUrl: string, key: unknown, path: string, body?: string): Promise<Response> =>
  fetch(baseUrl + path, {
    headers: { Authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })

/** A key with which a pet was added, and where the pet is. */
const addPet = async ({ baseUrl, environment }: Reached): Promise<{ key: unknown; keyId: string; path: string }> => {
  const { apiKey, keyId } = await keysJson(...['issue', '--env', environment.name, '--owner', 'x', '--plan', 'free'])
  const added = await ask(baseUrl, apiKey, '/pets', '{"name":"Bella","categoryId":1}')
  expect(added.status).toBe(201)
  const pet: unknown = await added.json()
  const id = typeof pet === 'object' && pet !== null && 'id' in pet ? pet.id : undefined
  return { key: apiKey, keyId: String(keyId), path: `/pets/${id}` }
}

const exhaust = async (baseUrl: string): Promise<string> => {
  const limits = ['--plan', 'enterprise', '--per-minute', '2', '--per-day', '2']
  const issued = await keysJson('issue', '--env', 'staging', '--owner', 'x', ...limits)
  for (let count = 0; count < 5; count += 1) await ask(baseUrl, issued['apiKey'], '/pets?limit=1')
  return String(issued['keyId'])
}

const bannedUntil = async (keyId: string) => (await keysJson('show', keyId, '--env', 'staging'))['bannedUntil']

describe.skipIf(!isDeployed)('an environment', () => {
  it('takes a changed version, and keeps its pets and keys', async () => {
    await using staging = await reach('staging')
    const { key, path } = await addPet(staging)
    expect(await bannedUntil(await exhaust(staging.baseUrl))).toBeNull()

    await deploy(target(), ['staging/*'], { file: 'changed-app.ts' })

    await using changed = await reach('staging')
    expect((await ask(changed.baseUrl, key, path)).status).toBe(200)
    expect(await bannedUntil(await exhaust(changed.baseUrl))).not.toBeNull()
  })

  it('is taken down without another', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    const { key, keyId, path } = await addPet(production)
    const page = await findReference('production')

    await destroy(target(), ['staging/*'])

    expect((await ask(production.baseUrl, key, path)).status).toBe(200)
    expect((await keysJson('show', keyId, '--env', 'production'))['state']).toBe('active')
    expect((await ask(staging.baseUrl, key, '/pets')).status).not.toBe(200)
    expect((await page.get('/openapi.json')).status).toBe(200)
    await expect(findReference('staging')).rejects.toThrow(/does not exist/)
    const { exitCode, errors } = await runKeys(['list', '--env', 'staging'])
    expect(exitCode).toBe(1)
    expect(errors).toMatch(/^The stack pet-adoption-staging-data is not deployed in us-east-1/)
  })
})
